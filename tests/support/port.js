import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** The ports of each worker of the tests, of which there are fewer than ten. */
const SIZE = 1_700
const first = 15_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 10) * SIZE
let next = randomInt(SIZE)

/**
 * A free port of 127.0.0.1 that no other test of this run gets. It is below the ports that systems assign to clients and
 * to servers that ask for any port, so a server that stops can use it again, even if others open connections meanwhile.
 * @returns {Promise<number>}
 */
export async function freePort() {
  for (;;) {
    next = (next + 1) % SIZE
    // Another call may change `next` meanwhile.
    const port = first + next
    if (await isFree(port)) return port
  }
}

/** @param {number} port */
function isFree(port) {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
