import { once } from 'node:events'
import { createServer } from 'node:net'

/** @typedef {{ to: string[], raw: string, at: number }} Mail `to`: of the envelope; `at`: when it arrived, in milliseconds */
/** @typedef {Awaited<ReturnType<typeof startMailServer>>} MailServer */

/**
 * How the server treats mails to some domains. It accepts all others at once. Two domains that stall are no attack that a
 * service stands: each may occupy half of its workers.
 * @type {[what: string, domain: string][]}
 */
export const hostileDomains = [
  ['a slow domain', 'slow.example'],
  ['a domain that is busy (451)', 'busy.example'],
  ['a domain that refuses (550)', 'refusing.example'],
  ['a domain that accepts and stalls', 'stalling.example'],
]
const SLOW_MS = 15_000

/** Starts a mail server on this machine that speaks as much SMTP (RFC 5321) as a client needs. */
export async function startMailServer() {
  /** @type {Mail[]} */
  const mails = []
  const server = createServer((socket) => {
    const answer = (/** @type {string} */ line) => socket.write(`${line}\r\n`)
    /** @type {string[]} */
    let to = []
    let isData = false

    const readCommand = (/** @type {string} */ line) => {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'MAIL') to = []
      if (verb === 'RCPT') {
        const recipient = /<(.*)>/.exec(line)?.[1] ?? ''
        if (domainOf(recipient) === 'busy.example') return answer('451 try again later')
        if (domainOf(recipient) === 'refusing.example') return answer('550 no such mailbox')
        to.push(recipient)
      }
      isData = verb === 'DATA'
      return answer(isData ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 ok')
    }
    const readMail = (/** @type {string} */ raw) => {
      isData = false
      const accept = () => {
        mails.push({ to, raw, at: performance.now() })
        answer('250 accepted')
      }
      const domain = domainOf(to[0])
      if (domain === 'slow.example') setTimeout(accept, SLOW_MS).unref()
      else if (domain !== 'stalling.example') accept()
    }

    let input = ''
    socket.setEncoding('utf8').on('data', (part) => {
      input += part
      for (;;) {
        const end = isData ? '\r\n.\r\n' : '\r\n'
        const [text = '', ...rest] = input.split(end)
        if (rest.length === 0) return
        input = rest.join(end)
        if (isData) readMail(text)
        else readCommand(text)
      }
    })
    socket.on('error', () => {})
    answer('220 hello')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { port, mails, stop: () => void server.close() }
}

/** @param {string} [address] */
const domainOf = (address = '') => address.slice(address.lastIndexOf('@') + 1)

/** The header lines of a mail, each unfolded. @param {Mail} mail */
export const headersOf = ({ raw }) =>
  (raw.split('\r\n\r\n', 1)[0] ?? '').replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')

/** The parts of a mail after its headers, with quoted-printable decoded as far as a test needs. @param {Mail} mail */
export const bodyOf = ({ raw }) =>
  raw.slice(raw.indexOf('\r\n\r\n')).replaceAll('=\r\n', '').replaceAll('=3D', '=')
