const part = (id) => document.getElementById(id)

/** How often to check for new mails, in milliseconds. */
const pollMs = 2000

/** In the list, mails from before today show the day instead of the time. */
const shortTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' })
const shortDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

let mails = []
/** The id of the mail on display. */
let shown

const isNarrow = () => matchMedia('(max-width: 720px)').matches

async function load() {
  try {
    const response = await fetch('/dev/mailbox/messages')
    if (!response.ok) return say('The service returned an error. See its log.')
    const { messages } = await response.json()
    const isNew = messages.length !== mails.length || messages[0]?.id !== mails[0]?.id
    mails = messages
    if (isNew) list()
    if (shown === undefined && mails[0] && !isNarrow()) show(mails[0])
    say(
      mails.length === 1 ? '1 mail, kept here and not sent' : `${mails.length} mails, kept here and not sent`,
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
  part('list').replaceChildren(...mails.map(entry))
  part('empty').hidden = mails.length > 0
  mark()
  if (focused) part('list').querySelector(`[data-id="${focused}"]`)?.focus()
}

function entry(mail) {
  const button = document.createElement('button')
  button.type = 'button'
  button.dataset.id = mail.id
  const subject = document.createElement('strong')
  subject.textContent = mail.subject
  const details = document.createElement('small')
  const at = new Date(mail.created_at)
  const isToday = at.toDateString() === new Date().toDateString()
  details.textContent = `${(isToday ? shortTime : shortDay).format(at)} · ${mail.to}`
  button.append(subject, details)
  button.addEventListener('click', () => {
    show(mail)
    part('mail').focus()
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

function show(mail) {
  // Setting the frame's address again would load the mail again.
  if (shown === mail.id) return
  shown = mail.id
  part('mail').hidden = false
  part('subject').textContent = mail.subject
  part('to').textContent = mail.to
  part('time').textContent = time.format(new Date(mail.created_at))
  part('time').dateTime = mail.created_at
  part('template').textContent = mail.template
  part('text').textContent = mail.text
  part('html').src = `/dev/mailbox/messages/${mail.id}/html`
  part('token').hidden = mail.token === undefined
  part('url').hidden = mail.url === undefined
  part('url').textContent = mail.url ?? ''
  if (mail.url) part('url').href = mail.url
  part('code').hidden = mail.code === undefined
  part('code').textContent = mail.code ?? ''
  part('copy').textContent = mail.code ? 'Copy code' : 'Copy link'
  mark()
}

function back() {
  const last = shown
  shown = undefined
  part('mail').hidden = true
  mark()
  part('list').querySelector(`[data-id="${last}"]`)?.focus()
}

async function copy() {
  const { code, url } = mails.find(({ id }) => id === shown) ?? {}
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
