const part = (id) => document.getElementById(id)

/** How often to check for new emails, in milliseconds. */
const pollMs = 2000

/** In the list, emails from before today show the day instead of the time. */
const shortTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

let emails = []
/** The id of the email on display. */
let shown

const isNarrow = () => matchMedia('(max-width: 720px)').matches

async function load() {
  try {
    const response = await fetch('/dev/mailbox/messages')
    if (!response.ok) return say('The service returned an error. See its log.')
    const { messages } = await response.json()
    const isNew = messages.length !== emails.length || messages[0]?.id !== emails[0]?.id
    emails = messages
    if (isNew) list()
    part('empty').hidden = emails.length > 0
    if (shown === undefined && emails[0] && !isNarrow()) show(emails[0])
    say(
      emails.length === 1
        ? '1 email, kept here and not sent'
        : `${emails.length} emails, kept here and not sent`,
    )
  } catch {
    say('The service does not respond')
  }
}

/** Sets the text only if it changes: a screen reader announces every update. */
function say(text) {
  if (part('state').textContent !== text) part('state').textContent = text
}

function list() {
  const focused = document.activeElement?.dataset.id
  part('list').replaceChildren(...emails.map(entry))
  mark()
  if (focused) part('list').querySelector(`[data-id="${focused}"]`)?.focus()
}

function entry(email) {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.id = email.id
  const subject = document.createElement('strong')
  subject.textContent = email.subject
  const details = document.createElement('small')
  const at = new Date(email.created_at)
  const isToday = at.toDateString() === new Date().toDateString()
  details.textContent = `${(isToday ? shortTime : shortDay).format(at)} · ${email.to}`
  button.append(subject, details)
  button.addEventListener('click', () => {
    show(email)
    part('email').focus()
  })
  const item = document.createElement('li')
  item.append(button)
  return item
}

function mark() {
  for (const button of part('list').querySelectorAll('button')) {
    if (button.dataset.id === String(shown)) button.setAttribute('aria-current', 'true')
    else button.removeAttribute('aria-current')
  }
}

function show(email) {
  // Setting the frame's address again would load the email again.
  if (shown === email.id) return
  shown = email.id
  part('email').hidden = false
  part('subject').textContent = email.subject
  part('to').textContent = email.to
  part('time').textContent = time.format(new Date(email.created_at))
  part('time').dateTime = email.created_at
  part('template').textContent = email.template
  part('text').textContent = email.text
  part('html').src = `/dev/mailbox/messages/${email.id}/html`
  part('token').hidden = email.token === undefined
  part('url').hidden = email.url === undefined
  part('url').textContent = email.url ?? ''
  if (email.url) part('url').href = email.url
  part('code').hidden = email.code === undefined
  part('code').textContent = email.code ?? ''
  part('copy').textContent = email.code ? 'Copy code' : 'Copy link'
  mark()
}

function back() {
  const last = shown
  shown = undefined
  part('email').hidden = true
  mark()
  part('list').querySelector(`[data-id="${last}"]`)?.focus()
}

async function copy() {
  const { code, url } = emails.find(({ id }) => id === shown) ?? {}
  await navigator.clipboard.writeText(code ?? url ?? '')
  part('copy').textContent = 'Copied'
}

function choose(tab) {
  for (const one of document.querySelectorAll('[role="tab"]')) {
    const isChosen = one === tab
    one.setAttribute('aria-selected', String(isChosen))
    one.tabIndex = isChosen ? 0 : -1
    part(one.getAttribute('aria-controls')).hidden = !isChosen
  }
}

for (const tab of document.querySelectorAll('[role="tab"]')) {
  tab.addEventListener('click', () => choose(tab))
  tab.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    const other = document.querySelector('[role="tab"][aria-selected="false"]')
    choose(other)
    other.focus()
  })
}
part('back').addEventListener('click', back)
part('copy').addEventListener('click', copy)

await load()
setInterval(load, pollMs)
