import { bodyOf, headersOf } from './mail-server.js'
import { arrival, register, requestReset } from './users.js'

/** Names that must not become a header, a recipient, HTML or a link. Most are refused, which is fine too. */
const crafted = [
  { username: 'header\r\nBcc: mallory@example.org', email: 'header@healthy.example' },
  { username: 'header2', email: 'header2@healthy.example\r\nBcc: mallory@example.org' },
  { username: 'recipients', email: 'recipients@healthy.example, mallory@example.org' },
  { username: 'quoted', email: '"quoted" <mallory@example.org>' },
  { username: 'quoted2', email: '"quoted2@healthy.example,"@mallory.example' },
  { username: '<b>bold</b>', email: 'bold@healthy.example' },
  { username: 'bold2', email: '<b>bold2</b>@healthy.example' },
  { username: 'entity', email: "a&lt=b'x'`|~@healthy.example" },
  { username: '{{code}}', email: 'template@healthy.example' },
  { username: 'template2', email: '{{code}}{{reset_url}}@healthy.example' },
  { username: 'link', email: 'https://evil.example@healthy.example' },
  { username: 'www.evil.example', email: 'link2@healthy.example' },
]

/** The headers of a mail. Those before a body part follow later. */
const known =
  /^(from|to|subject|message-id|auto-submitted|date|mime-version|content-(type|transfer-encoding)): /i

/**
 * Registers crafted names, requests a reset for each, and reads every mail that arrives.
 * @param {import('../service.js').Attacked} service
 * @param {import('./mail-server.js').MailServer} server
 * @returns {Promise<import('../run.js').Figure>}
 */
export async function attackWithNames(service, server) {
  const accepted = []
  for (const { email, username } of crafted) {
    const { status } = await register(service, email, username)
    const { status: resetStatus } = await requestReset(service, email)
    if (status === 201) accepted.push(email)
    if (Math.max(status, resetStatus) >= 500)
      throw new Error(`${username}, ${email}: ${status}, ${resetStatus}`)
  }
  for (const email of accepted) await arrival(server, email, /^subject: .*reset/i)
  const faults = server.mails.flatMap(faultsOf)
  return {
    what: `crafted names, ${accepted.length} of ${crafted.length} accepted, ${server.mails.length} mails`,
    value: faults.join(', ') || '0 faults',
    goal: '0 faults',
    isMissed: faults.length > 0 || accepted.length === 0,
  }
}

/** @param {import('./mail-server.js').Mail} mail @returns {string[]} */
function faultsOf(mail) {
  const headers = headersOf(mail)
  const body = bodyOf(mail)
  const faults = {
    'several recipients': mail.to.length !== 1,
    'a foreign recipient': !mail.to[0]?.endsWith('@healthy.example'),
    'an unknown header': headers.some((line) => !known.test(line)),
    'a header twice':
      new Set(headers.map((line) => line.split(':', 1)[0]?.toLowerCase())).size < headers.length,
    'HTML of a user': /<b>/i.test(body),
    'a link of a user': /evil\.example/i.test(body),
    'an unfilled template': /\{\{/.test(body),
  }
  return Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [`${fault} to ${mail.to}`] : []))
}
