import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createKey, type KeyAlgorithm } from '../../src/sessions/key-files.ts'
import { jwks } from '../../src/settings/jwks.ts'
import { logIn, register } from './accounts.ts'
import { createClock, createTestApp, shareTestApp } from './app.ts'
import { encode, takeApart } from './forge.ts'
import { settingNames } from './settings.ts'
import { temporaryFolder } from './temporary-folder.ts'

const start = createClock().now()

/** The name of the project, which the settings have by default. */
export const ownName = jwks.parse({}).ownAudience

/** Makes the key number `number`, `seconds` after the start of each test. @returns its kid */
export const addKey = (folder: string, number: number, seconds = 0, algorithm: KeyAlgorithm = 'EdDSA') =>
  createKey(folder, algorithm, number, start + seconds * 1000)

/** Settings with which the keys of a folder sign. */
export const keySettings = (folder: string, algorithm: KeyAlgorithm = 'EdDSA') => ({
  [settingNames.algorithm]: algorithm,
  JWT_KEYS_DIR: folder,
})

/** A service whose first key was just made, with a user and a token of theirs. */
export const createKeyApp = async (algorithm: KeyAlgorithm = 'EdDSA', env: Record<string, string> = {}) =>
  build(await temporaryFolder(), algorithm, env, createTestApp)

/** One such service for all tests of a file. */
export async function shareKeyApp(algorithm: KeyAlgorithm) {
  const folder = await mkdtemp(join(tmpdir(), 'test-keys-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return build(folder, algorithm, {}, shareTestApp)
}

async function build(
  folder: string,
  algorithm: KeyAlgorithm,
  env: Record<string, string>,
  create: typeof createTestApp,
) {
  const kid = addKey(folder, 1, 0, algorithm)
  const app = await create({ ...keySettings(folder, algorithm), ...env })
  const { id } = await register(app)
  const token = await logIn(app)
  return { app, folder, kid, id, token, ...takeApart(token) }
}

/** The private key in a file. */
export const privateKeyOf = async (folder: string, kid: string) =>
  createPrivateKey(await readFile(join(folder, `${kid}.pem`)))

/** The public key in a file, as PEM. */
export const publicPemOf = async (folder: string, kid: string) =>
  createPublicKey(await privateKeyOf(folder, kid))
    .export({ type: 'spki', format: 'pem' })
    .toString()

/** Builds a token from a header and a payload, signed with a private key. */
export function signWithKey(header: unknown, payload: unknown, key: KeyObject): string {
  const input = `${encode(header)}.${encode(payload)}`
  const hash = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}
