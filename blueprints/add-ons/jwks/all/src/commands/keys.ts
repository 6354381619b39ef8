import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { createKey, type KeyAlgorithm } from '../sessions/key-files.ts'
import { keyAlgorithm, type RingKey, readRing } from '../sessions/key-ring.ts'

const usage = `Usage: keys <command>
  create          make the first key, which signs at once
  rotate          make a new key, which signs in ten minutes
  list [--pem]    list the keys, with their public keys`

const time = (ms: number) => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** `npm run keys -- <command>`. Exit codes: 0 done, 1 refused, 2 wrong usage. */
// pnpm, yarn and bun pass the `--` of `run keys -- …` to the script.
const args = process.argv.slice(2).filter((arg) => arg !== '--')
const commands: Record<string, (config: Config, now: number) => string[]> = {
  create,
  rotate,
  list: (config, now) => readRing(config).map((key) => describe(key, now)),
  'list --pem': (config, now) => readRing(config).map((key) => `${describe(key, now)}\n${publicPem(key)}`),
}
const command = commands[args.join(' ')]
if (command) {
  try {
    for (const line of command(readConfig(), Date.now())) console.log(line)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
} else {
  console.error(usage)
  process.exitCode = 2
}

function create(config: Config, now: number): string[] {
  const { folder, algorithm } = target(config)
  if (readRing(config).length > 0) throw new ConfigError(`${folder} has a key already: use rotate`)
  return [
    `Key ${createKey(folder, algorithm, 1, now)} (${algorithm}) signs from the next start of the service.`,
  ]
}

function rotate(config: Config, now: number): string[] {
  const { folder, algorithm } = target(config)
  const ring = readRing(config)
  if (ring.length === 0) throw new ConfigError(`${folder} has no key yet: use create`)
  const number = Math.max(...ring.map(({ kid }) => Number.parseInt(kid, 10) || 1)) + 1
  const kid = createKey(folder, algorithm, number, now)
  const from = readRing(config).find((key) => key.kid === kid)?.signsFrom ?? now
  // A private key that nothing needs any more can only be stolen.
  const expired = ring.filter(({ expiresAt }) => expiresAt <= now)
  for (const key of expired) rmSync(join(folder, `${key.kid}.pem`))
  return [
    `Key ${kid} (${algorithm}) is published, and signs from ${time(from)}.`,
    ...expired.map((key) => `Key ${key.kid} is deleted: its last token has expired.`),
  ]
}

/** Where a new key goes. @throws ConfigError if the settings have no place for one */
function target(config: Config): { folder: string; algorithm: KeyAlgorithm } {
  const algorithm = keyAlgorithm(config)
  const { folder, privateKey } = config.jwks
  if (privateKey !== undefined) throw new ConfigError('JWT_PRIVATE_KEY is set, so no key in a folder is used')
  if (algorithm) return { folder, algorithm }
  throw new ConfigError(
    `the algorithm is ${config.accessTokens.algorithm}, which needs no keys: set EdDSA, ES256 or RS256`,
  )
}

function describe({ kid, algorithm, signsFrom, signsUntil, expiresAt }: RingKey, now: number): string {
  const state = () => {
    if (now < signsFrom) return `signs from ${time(signsFrom)}`
    if (now < signsUntil) return 'signs'
    return now < expiresAt ? `verifies until ${time(expiresAt)}` : 'expired'
  }
  return `${kid}  ${algorithm}  ${state()}`
}

function publicPem({ publicKey }: RingKey): string {
  return publicKey.export({ type: 'spki', format: 'pem' }).toString()
}
