import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../config.ts'
import type { asymmetric } from '../settings/algorithms/asymmetric.ts'

export type KeyAlgorithm = (typeof asymmetric)[number]

/** A pair of keys that signs access tokens. */
export interface KeyPair {
  /** The name of its file. */
  kid: string
  algorithm: KeyAlgorithm
  privateKey: KeyObject
  publicKey: KeyObject
  /** The private key as text. */
  pem: string
  /** When it was made, in milliseconds since 1970. */
  createdAt: number
  /** Whether the service had no key before. */
  isFirst: boolean
}

/** The name of a file that `createKey` makes: a number, the time and a part of the thumbprint. */
const madeName = /^(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-[\w-]+$/

/**
 * Reads the keys of a folder, the oldest first. A missing folder has none.
 * @param known keys that were read before: those whose file is the same stay the same objects
 * @throws ConfigError with one line about the first file that is no usable key
 */
export function readKeys(folder: string, known: readonly KeyPair[] = []): KeyPair[] {
  const files = namesIn(folder).filter((name) => name.endsWith('.pem') && !name.startsWith('.'))
  const keys = files.map((name) => readKey(join(folder, name), name.slice(0, -'.pem'.length), known))
  return keys.sort((a, b) => a.createdAt - b.createdAt || (a.kid < b.kid ? -1 : 1))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw new ConfigError(`JWT_KEYS_DIR ${folder} cannot be read (${codeOf(error)})`)
  }
}

function readKey(file: string, kid: string, known: readonly KeyPair[]): KeyPair {
  if (!/^[\w.-]{1,100}$/.test(kid))
    throw new ConfigError(`${JSON.stringify(file)} must have a name of letters, digits, dots, - and _`)
  const [stats, pem] = contentOf(file)
  // Another user of the machine could read the key and sign a token for every user.
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0)
    throw new ConfigError(`${file} is open to other users of the machine: chmod 600 ${file}`)
  const same = known.find((key) => key.kid === kid && key.pem === pem)
  if (same) return same
  const [, number, ...time] = madeName.exec(kid) ?? []
  const [year, month = 1, ...rest] = time.map(Number)
  const createdAt = year === undefined ? stats.mtimeMs : Date.UTC(year, month - 1, ...rest)
  return { ...parseKey(pem, file), kid, createdAt, isFirst: number === '1' }
}

function contentOf(file: string) {
  try {
    return [statSync(file), readFileSync(file, 'utf8')] as const
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${codeOf(error)})`)
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/**
 * Parses a private key in PEM (PKCS #8, RFC 5958).
 * @param source what an error names: a file or a setting
 * @returns the key, with its thumbprint (RFC 7638) as `kid`
 * @throws ConfigError
 */
export function parseKey(pem: string, source: string): Omit<KeyPair, 'createdAt' | 'isFirst'> {
  const privateKey = privateKeyOf(pem)
  if (!privateKey) throw new ConfigError(`${source} is not a private key in PEM (PKCS #8, not encrypted)`)
  const algorithm = algorithmOf(privateKey)
  if (!algorithm)
    throw new ConfigError(`${source} must be a key of Ed25519, of P-256, or of RSA with 2048 bits or more`)
  const publicKey = createPublicKey(privateKey)
  const members = Object.entries(publicKey.export({ format: 'jwk' })).sort(([a], [b]) => (a < b ? -1 : 1))
  const kid = createHash('sha256')
    .update(JSON.stringify(Object.fromEntries(members)))
    .digest('base64url')
  return { kid, algorithm, privateKey, publicKey, pem }
}

function privateKeyOf(pem: string): KeyObject | undefined {
  if (!pem.includes('-----BEGIN PRIVATE KEY-----')) return undefined
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** The key decides its only algorithm: one that a token could choose would make a public key a secret (RFC 8725, 3.1). */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject): KeyAlgorithm | undefined {
  const { namedCurve, modulusLength = 0 } = asymmetricKeyDetails ?? {}
  if (type === 'ed25519') return 'EdDSA'
  if (type === 'ec' && namedCurve === 'prime256v1') return 'ES256'
  return type === 'rsa' && modulusLength >= 2048 ? 'RS256' : undefined
}

/** Makes a key pair. @param number which key of the service it is: 1 for the first. @returns its kid */
export function createKey(folder: string, algorithm: KeyAlgorithm, number: number, now: number): string {
  const pem = generate(algorithm).export({ type: 'pkcs8', format: 'pem' }).toString()
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const kid = `${number}-${time}-${parseKey(pem, 'the key').kid.slice(0, 8)}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Under another name first: a running instance must not read half of it.
  const partial = join(folder, `.${kid}`)
  writeFileSync(partial, pem, { mode: 0o600, flag: 'wx' })
  renameSync(partial, join(folder, `${kid}.pem`))
  return kid
}

function generate(algorithm: KeyAlgorithm): KeyObject {
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519').privateKey
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}
