import { onUser } from './account.js'
import { handleForm } from './form.js'
import { call } from './session.js'
import { createPasskey, hasPasskeys, tellBrowser } from './webauthn.js'

const part = document.querySelector('#passkeys')
const title = part.querySelector('h2')
const problem = document.querySelector('#passkeys-problem')
const list = part.querySelector('ul')
const template = part.querySelector('template')
const status = part.querySelector('[role=status]')
const [add, rename, remove] = ['add', 'rename', 'remove'].map((name) =>
  document.querySelector(`#${name}-passkey`),
)
const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' })
let signal
let chosen
let proofIn = () => ({})

/**
 * Sets how to read the proof of a second factor in a form, which has a field `code` for it.
 * @param {(form: HTMLFormElement) => object} read
 */
export const onProof = (read) => {
  proofIn = read
}

onUser(showPasskeys)
handleForm(add, 'auth/passkeys', {
  body: () => ({ name: add.elements.name.value.trim(), ...emailedIn(add) }),
  submit: async (path, body) => {
    const options = await call('POST', `${path}/options`, { ...emailedIn(add), ...proofIn(add) })
    const created = await createPasskey(options)
    return created.ok ? call('POST', path, { ...body, credential: created.answer }) : created
  },
  onRefused: (outcome) => showAsked(add, outcome),
  onDone: () => showDone(add, status.dataset.added),
})
handleForm(rename, 'auth/passkeys', {
  body: () => ({ name: rename.elements.name.value.trim() }),
  submit: (path, body) => call('PATCH', `${path}/${chosen.id}`, body),
  onDone: () => showDone(rename, status.dataset.renamed),
})
handleForm(remove, 'auth/passkeys', {
  body: () => ({ ...emailedIn(remove), ...proofIn(remove) }),
  submit: (path, body) => call('DELETE', `${path}/${chosen.id}`, body),
  onRefused: (outcome) => showAsked(remove, outcome),
  onDone: async () => {
    tellBrowser('signalUnknownCredential', { rpId: signal.rpId, credentialId: chosen.credentialId })
    await showDone(remove, status.dataset.removed)
  },
})
for (const form of [add, rename, remove])
  form.addEventListener('reset', () => {
    close(form)
    add.hidden = !hasPasskeys()
    title.focus()
  })

/** Shows the passkeys of the user, newest first. Without the focus: the user may be elsewhere in the page. */
async function showPasskeys() {
  const { ok, answer, sentence } = await call('GET', 'auth/passkeys')
  problem.hidden = ok
  problem.firstElementChild.textContent = sentence
  if (!ok) return
  signal = answer.signal
  const ids = signal.allAcceptedCredentialIds
  list.replaceChildren(
    ...answer.passkeys.map((passkey, index) => itemOf({ ...passkey, credentialId: ids[index] })),
  )
  add.hidden = !hasPasskeys()
  for (const element of document.querySelectorAll('#account [data-factor=passkey]'))
    element.hidden = ids.length === 0
  // Also after a removal on another device.
  if (signal.userId !== null) tellBrowser('signalAllAcceptedCredentials', signal)
}

function itemOf(passkey) {
  const item = template.content.cloneNode(true)
  const { name, created_at, last_used_at, backed_up } = passkey
  item.querySelector('.name').textContent = name
  item.querySelector('.synced').hidden = !backed_up
  item.querySelector('.last').hidden = last_used_at === null
  showDate(item.querySelector('.added'), created_at)
  if (last_used_at !== null) showDate(item.querySelector('.used'), last_used_at)
  const [toRename, toRemove] = item.querySelectorAll('button')
  for (const button of [toRename, toRemove])
    button.setAttribute('aria-label', `${button.textContent}: ${name}`)
  toRename.addEventListener('click', () => {
    open(rename, passkey)
    rename.elements.name.value = name
    rename.elements.name.focus()
  })
  toRemove.addEventListener('click', () => {
    open(remove, passkey)
    remove.querySelector('.question').focus()
  })
  return item
}

function showDate(element, text) {
  element.dateTime = text
  element.textContent = date.format(new Date(text))
}

function open(form, passkey) {
  for (const other of [add, rename, remove]) close(other)
  add.hidden = true
  chosen = passkey
  form.querySelector('.chosen').textContent = passkey.name
  form.hidden = false
}

/** Hides what was asked for, and forms that are about one passkey. */
function close(form) {
  for (const field of form.querySelectorAll('.asked')) {
    field.hidden = true
    field.querySelector('input').required = false
    field.querySelector('input').value = ''
  }
  form.querySelector('.problem').hidden = true
  if (form === add) form.querySelector('[type=reset]').hidden = true
  else form.hidden = true
}

/** Shows the field for what the service asks for. @returns whether it was hidden */
function showAsked(form, { code }) {
  const names = { emailed_token_required: 'emailed_token', invalid_code: 'code' }
  const input = form.elements[names[code]]
  if (!input || input.required) return false
  input.closest('.asked').hidden = false
  input.required = true
  form.querySelector('[type=reset]').hidden = false
  input.focus()
  return true
}

const emailedIn = ({ elements: { emailed_token } }) =>
  emailed_token.required ? { emailed_token: emailed_token.value.trim() } : {}

async function showDone(form, sentence) {
  status.textContent = ''
  form.reset()
  await showPasskeys()
  title.focus()
  status.textContent = sentence
}
