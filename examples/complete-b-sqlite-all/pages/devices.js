import { onUser } from './account.js'
import { call, endSession } from './session.js'

const part = document.querySelector('#devices')
const list = part.querySelector('ul')
const template = part.querySelector('template')
const problem = part.querySelector('.problem')
const status = part.querySelector('[role=status]')
const others = document.querySelector('#log-out-others')
const everywhere = document.querySelector('#log-out-everywhere')
const time = new Intl.DateTimeFormat(document.documentElement.lang, {
  dateStyle: 'medium',
  timeStyle: 'short',
})

/** Some name others too: the first that matches counts. */
const browsers = [['Edg', 'Edge'], ['OPR', 'Opera'], ['Firefox'], ['Chrome'], ['Safari']]
const systems = [['iPhone'], ['iPad'], ['Android'], ['Windows'], ['Mac OS', 'macOS'], ['Linux']]

others.addEventListener('click', () => end('auth/devices', status.dataset.othersEnded))
everywhere.addEventListener('click', async () => {
  const outcome = await call('POST', 'auth/logout-all')
  if (outcome.ok) await endSession('#logged-out')
  else showProblem(outcome)
})
onUser(showDevices)

/** Shows the sessions of the user, newest first. */
export async function showDevices() {
  const outcome = await call('GET', 'auth/devices')
  // Without the focus: the user may be elsewhere in the page.
  if (!outcome.ok) return showSentence(outcome)
  problem.hidden = true
  const { devices } = outcome.answer
  list.replaceChildren(...devices.map((device) => itemOf(device)))
  others.hidden = devices.every((device) => device.is_current)
}

function itemOf(device) {
  const item = template.content.cloneNode(true)
  const name = device.device_name || nameOf(device.user_agent ?? '') || template.dataset.unknown
  const used = new Date(device.last_used_at ?? device.created_at)
  item.querySelector('.name').textContent = name
  item.querySelector('.address').textContent = device.ip_address
  const lastUse = item.querySelector('time')
  lastUse.dateTime = used.toISOString()
  lastUse.textContent = time.format(used)
  item.querySelector('.current').hidden = !device.is_current
  const button = item.querySelector('button')
  button.hidden = device.is_current
  button.setAttribute('aria-label', `${button.textContent}: ${name}`)
  button.addEventListener('click', () => end(`auth/devices/${device.id}`, status.dataset.ended))
  return item
}

async function end(path, sentence) {
  const outcome = await call('DELETE', path)
  // It may have ended in the meantime.
  if (!outcome.ok && outcome.status !== 404) return showProblem(outcome)
  status.textContent = ''
  await showDevices()
  // The button that had the focus is gone.
  part.querySelector('h2').focus()
  status.textContent = sentence
}

/** What a browser says of itself in a few words, such as "Firefox, Linux". Empty if it is another program. */
function nameOf(userAgent) {
  const first = (names) => names.find(([part]) => userAgent.includes(part))?.at(-1)
  return [first(browsers), first(systems)].filter(Boolean).join(', ')
}

function showProblem(outcome) {
  showSentence(outcome)
  problem.focus()
}

function showSentence({ sentence }) {
  problem.firstElementChild.textContent = sentence
  problem.hidden = false
}
