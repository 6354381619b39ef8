import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Forwards connections to PostgreSQL, and counts how often a client waits for the server.
 * @param {string} url
 */
export async function countRoundTrips(url) {
  const { hostname: host, port } = new URL(url)
  const counts = { trips: 0 }
  const server = createServer((client) => {
    const upstream = connect({ host, port: Number(port), noDelay: true })
    client.setNoDelay()
    let isWaiting = false
    client.on('data', (chunk) => {
      if (!isWaiting) counts.trips += 1
      isWaiting = true
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      isWaiting = false
      client.write(chunk)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ])
      one?.on('error', () => {}).on('close', () => other?.destroy())
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const address = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { counts, url: url.replace(`:${port}/`, `:${address.port}/`), close: () => server.close() }
}

/**
 * Counts the calls of fsync and fdatasync of a process while `work` runs. Undefined without strace.
 * @param {number} pid
 * @param {() => Promise<unknown>} work
 */
export async function countSyncs(pid, work) {
  if (spawnSync('strace', ['-V']).error) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))
  const log = join(folder, 'log')
  const child = spawn('strace', ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', log, '-p', String(pid)])
  await delay(500)
  await work()
  child.kill('SIGINT')
  await new Promise((resolve) => child.once('exit', resolve))
  const calls = readFileSync(log, 'utf8').match(/f(data)?sync\(/g) ?? []
  rmSync(folder, { recursive: true })
  return calls.length
}
