import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { onTestFinished } from 'vitest'

interface ReceivedMail {
  to: string[]
  messageId: string
  /** The lines above the body. */
  headers: string
  /** All of it, as it came. */
  raw: string
}

export interface TestSmtpServer {
  port: number
  /** What to say to a mail: 250, a code that refuses it, or nothing for ever. */
  answer: number | 'silence'
  /** Every mail that was handed over, refused ones too. */
  offered: ReceivedMail[]
  /** Those that were answered with 250. */
  accepted: ReceivedMail[]
  stop(): Promise<void>
}

/** A mail server on this machine, which is gone when the test is over. Without TLS, if the options do not ask for it. */
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
        const mail = {
          to: session.envelope.rcptTo.map(({ address }) => address),
          messageId: /^Message-ID: (.*)$/m.exec(headers)?.[1] ?? '',
          headers,
          raw,
        }
        server.offered.push(mail)
        if (server.answer === 'silence') return
        if (server.answer !== 250) {
          // As some servers do: the refusal quotes the mail.
          done(
            Object.assign(new Error(`refused: ${raw.replaceAll(/\s+/g, ' ')}`), {
              responseCode: server.answer,
            }),
          )
          return
        }
        server.accepted.push(mail)
        done()
      }, done)
    },
  })
  smtp.on('error', () => {})
  await once(smtp.listen(port, '127.0.0.1'), 'listening')
  const server: TestSmtpServer = {
    port: (smtp.server.address() as AddressInfo).port,
    answer: 250,
    offered: [],
    accepted: [],
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
  onTestFinished(() => server.stop())
  return server
}
