import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'

/** How long the server takes for each mail: longer than the pause between two looks into the outbox. */
const SLOW_MS = 1_500

/**
 * Starts a slow mail server.
 * @param {string} project the folder of a project whose node_modules contains smtp-server
 */
export async function startSlowMailServer(project) {
  const { SMTPServer } = createRequire(join(project, 'package.json'))('smtp-server')
  /** @type {string[]} the Message-ID of each received mail */
  const received = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    /** @param {import('node:stream').Readable} stream @param {unknown} _session @param {(error?: Error) => void} done */
    async onData(stream, _session, done) {
      const [, id] = /^Message-ID: (.*)$/im.exec(await text(stream)) ?? []
      received.push(String(id))
      await delay(SLOW_MS)
      done()
    },
  })
  // A client that is stopped breaks its connection.
  smtp.on('error', () => {})
  const server = smtp.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    received,
    stop: () => new Promise((resolve) => smtp.close(resolve)),
  }
}
