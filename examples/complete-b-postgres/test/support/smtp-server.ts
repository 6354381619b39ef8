import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedEmail {
  to: string[]
  messageId: string
  /** The header lines. */
  headers: string
  /** The whole message as received. */
  raw: string
}

export interface TestSmtpServer {
  port: number
  /** The response to an email: 250, an error code, or no response. */
  answer: number | 'silence'
  /** The start of an error. Default: empty. */
  text: string
  /** All received emails, including refused ones. */
  offered: ReceivedEmail[]
  /** The emails accepted with 250. */
  accepted: ReceivedEmail[]
  stop(): Promise<void>
}

/** Starts a mail server on this machine, which stops after the test. Without TLS unless the options enable it. */
export async function startSmtpServer(port = 0, options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 50,
    ...options,
    onData(stream, session, done) {
      text(stream).then((raw) => {
        const headers = raw.split('\r\n\r\n', 1)[0] ?? ''
        const email = {
          to: session.envelope.rcptTo.map(({ address }) => address),
          messageId: /^Message-ID: (.*)$/m.exec(headers)?.[1] ?? '',
          headers,
          raw,
        }
        server.offered.push(email)
        if (server.answer === 'silence') return
        if (server.answer !== 250) {
          // Some servers quote the email in the refusal.
          done(
            Object.assign(new Error(`${server.text} refused: ${raw.replaceAll(/\s+/g, ' ')}`), {
              responseCode: server.answer,
            }),
          )
          return
        }
        server.accepted.push(email)
        done()
      }, done)
    },
  })
  smtp.on('error', () => {})
  await once(smtp.listen(port, '127.0.0.1'), 'listening')
  const server: TestSmtpServer = {
    port: (smtp.server.address() as AddressInfo).port,
    answer: 250,
    text: '',
    offered: [],
    accepted: [],
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  onTestFinished(() => server.stop())
  return server
}
