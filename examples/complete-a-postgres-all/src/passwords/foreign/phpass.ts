import { Worker } from 'node:worker_threads'
import { type HashKind, isEqual, type ParsedHash, parsePhc } from './phc.ts'
import { asInWordPress } from './wordpress.ts'

/** log2 of the rounds. WordPress has 13. */
const [minRounds, maxRounds] = [7, 18]

/** A longer password would make each round cost more: a login could take seconds, and all others wait as long. */
const maxBytes = 256

/** A password that takes the longest: WordPress hashed it with or without a backslash. */
export const costliestPassword = `'${'x'.repeat(maxBytes - 2)}`

/** In a thread of its own: thousands of rounds of MD5 would stop all other requests meanwhile. */
const source = `
const { createHash } = require('node:crypto')
const { parentPort, workerData } = require('node:worker_threads')
const { password, salt, rounds } = workerData
const md5 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('md5')).digest()
let hash = md5(salt, password)
for (let round = 0; round < rounds; round += 1) hash = md5(hash, password)
parentPort.postMessage(hash)
`

/** The portable hashes of phpass (openwall.com/phpass): WordPress until 6.7, phpBB 3. */
export const phpass: HashKind = {
  parse(storedHash) {
    const parsed = parsePhc(storedHash)
    const { ln = 0 } = parsed?.cost ?? {}
    return parsed?.id === 'phpass' && ln >= minRounds && ln <= maxRounds ? parsed : undefined
  },
  async matches(password, parsed) {
    let isRight = false
    for (const text of asInWordPress(password)) if (await isHashOf(text, parsed)) isRight = true
    return isRight
  },
}

async function isHashOf(password: string, { cost: { ln = 0 }, salt, hash }: ParsedHash): Promise<boolean> {
  const typed = Buffer.from(password)
  const usable = typed.length > maxBytes ? undefined : typed
  const workerData = { password: usable ?? '', salt, rounds: 2 ** ln }
  const worker = new Worker(source, { eval: true, workerData })
  const made = await new Promise<Uint8Array>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return isEqual(Buffer.from(made), hash) && usable !== undefined
}
