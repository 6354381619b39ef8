import { once } from 'node:events'
import { createRequire } from 'node:module'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** The user name and password that the server requires. */
export const MAIL_LOGIN = { user: 'my-api', password: 'Mail-Horse-9' }

/** Shorter than the test timeout, so that the error names the missing mail. */
const DEADLINE_MS = 500_000

/** A received mail. */
export interface Mail {
  to: string
  from: string
  subject: string
  messageId: string
  text: string
  html: string
  /** Whether the server answered with 250. If not, the sender sends the mail again. */
  isAnswered: boolean
}

export interface MailServer {
  port: number
  /** Every received mail, in order. */
  received: Mail[]
  /** Waits for the next mail to an address with this subject. Returns each mail only once. */
  next(to: string, subject: string): Promise<Mail>
  /** Waits until `holds` returns true. Rejects at the deadline. */
  until(what: string, holds: () => boolean): Promise<void>
  /** From now on, receives mails without answering: all, or those to addresses that end so. */
  hold(end?: string): void
  stop(): Promise<void>
}

/** The smtp-server types used here. Only the project depends on smtp-server, not the repository. */
interface SmtpServer {
  server: Server
  listen(port: number, host: string): Server
  close(callback: () => void): void
  on(event: 'error', listener: () => void): void
}
interface Session {
  envelope: { rcptTo: { address: string }[] }
}
type Done = (error?: Error | null, value?: object) => void

/**
 * Starts a mail server on 127.0.0.1 that offers TLS and requires a user name and password.
 * @param project the folder of a project whose node_modules contains smtp-server
 * @param port a free port by default; to start a server at a known port, pass the result of `freePort()`
 */
export async function startMailServer(project: string, port = 0): Promise<MailServer> {
  const { SMTPServer } = createRequire(join(project, 'package.json'))('smtp-server')
  const received: Mail[] = []
  const given = new Set<Mail>()
  const waiting = new Set<() => void>()
  let isHeld = (_address: string) => false

  const smtp: SmtpServer = new SMTPServer({
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth({ username, password }: { username: string; password: string }, _session: Session, done: Done) {
      if (username === MAIL_LOGIN.user && password === MAIL_LOGIN.password) done(null, { user: username })
      else done(new Error('Wrong name or password'))
    },
    onData(stream: Readable, { envelope }: Session, done: Done) {
      text(stream).then((raw) => {
        const isAnswered = !envelope.rcptTo.some(({ address }) => isHeld(address))
        for (const { address } of envelope.rcptTo) received.push({ ...parse(raw), to: address, isAnswered })
        if (isAnswered) done()
        for (const look of waiting) look()
      }, done)
    },
  })
  // A killed client breaks its connection.
  smtp.on('error', () => {})
  await once(smtp.listen(port, '127.0.0.1'), 'listening')

  const until = (what: string, holds: () => boolean) =>
    new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        waiting.delete(look)
      }
      const timer = setTimeout(() => {
        end()
        reject(new Error(`timed out waiting for ${what}; ${received.length} mails: ${listing(received)}`))
      }, DEADLINE_MS)
      const look = () => {
        if (!holds()) return
        end()
        resolve()
      }
      waiting.add(look)
      look()
    })

  return {
    port: (smtp.server.address() as AddressInfo).port,
    received,
    until,
    async next(to, subject) {
      const find = () =>
        received.find((mail) => mail.to === to && mail.subject === subject && !given.has(mail))
      await until(`mail "${subject}" to ${to}`, () => find() !== undefined)
      const mail = find() as Mail
      given.add(mail)
      return mail
    },
    hold(end = '') {
      isHeld = (address) => address.endsWith(end)
    },
    stop: () => new Promise((resolve) => smtp.close(resolve)),
  }
}

const listing = (mails: Mail[]): string =>
  mails
    .slice(-5)
    .map(({ to, subject }) => `"${subject}" to ${to}`)
    .join(', ')

/** Parses a mail of two parts, text and HTML (RFC 2045, RFC 2046). */
function parse(raw: string): Omit<Mail, 'to' | 'isAnswered'> {
  const [head = ''] = raw.split('\r\n\r\n', 1)
  const boundary = /boundary="(.*?)"/.exec(unfold(head))?.[1] ?? ''
  const parts = raw.split(`--${boundary}`).map((part) => part.trimStart())
  const content = (type: string) => {
    const part = parts.find((candidate) => candidate.startsWith(`Content-Type: ${type}`)) ?? ''
    const [partHead = '', body = ''] = part.split(/\r\n\r\n(.*)/s)
    return decode(header(partHead, 'Content-Transfer-Encoding'), body)
  }
  return {
    from: header(head, 'From'),
    subject: header(head, 'Subject'),
    messageId: header(head, 'Message-ID'),
    text: content('text/plain'),
    html: content('text/html'),
  }
}

const unfold = (head: string): string => head.replaceAll(/\r\n[ \t]+/g, ' ')

const header = (head: string, name: string): string =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(unfold(head))?.[1]?.trim() ?? ''

function decode(encoding: string, body: string): string {
  if (encoding === '7bit') return body
  if (encoding !== 'quoted-printable')
    throw new Error(`unsupported Content-Transfer-Encoding: ${encoding || 'none'}`)
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_code, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
