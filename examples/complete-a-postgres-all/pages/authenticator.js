import { onUser } from './account.js'
import { handleForm } from './form.js'
import { givenProof, proofIn } from './second-factor.js'
import { call } from './session.js'

const part = document.querySelector('#authenticator')
const problem = document.querySelector('#authenticator-problem')
const off = document.querySelector('#app-off')
const on = document.querySelector('#app-on')
const confirm = document.querySelector('#confirm-app')
const emailSent = confirm.querySelector('.sent')
const emailed = confirm.elements.emailed_token
const codes = document.querySelector('#recovery-codes')
const status = codes.querySelector('.status')
const newCodes = document.querySelector('#new-codes')
const turnOff = document.querySelector('#turn-off')

const post = (path, body) => call('POST', path, body)

onUser(showState)
handleForm(off.querySelector('form'), 'auth/totp/setup', {
  body: () => undefined,
  submit: post,
  onDone: showSecret,
})
handleForm(confirm, 'auth/totp/confirm', {
  body: () => ({
    code: confirm.elements.code.value.trim(),
    ...(emailed.required && { emailed_token: emailed.value.trim() }),
  }),
  submit: post,
  onDone: async (answer) => {
    confirm.reset()
    await showCodes(answer)
  },
  onRefused: ({ code }) => {
    if (code !== 'emailed_token_required') return false
    askForEmailed(true)
    emailSent.focus()
    return true
  },
})
// Cancelled, or done: the page keeps nothing of the secret.
confirm.addEventListener('reset', () => {
  askForEmailed(false)
  confirm.querySelector('.qr').replaceChildren()
  confirm.querySelector('code').textContent = ''
  confirm.hidden = true
  off.hidden = false
  part.querySelector('h2').focus()
})
handleForm(newCodes, 'auth/recovery-codes', {
  body: () => givenProof(newCodes) ?? { code: newCodes.elements.code.value.trim() },
  submit: post,
  onDone: showCodes,
})
handleForm(turnOff, 'auth/totp/disable', {
  body: () => proofIn(turnOff),
  submit: post,
  onDone: async () => {
    codes.hidden = true
    await showState()
    part.querySelector('h2').focus()
  },
})
document.querySelector('#print-codes').addEventListener('click', () => print())
document.querySelector('#copy-codes').addEventListener('click', async () => {
  await navigator.clipboard.writeText(codes.querySelector('ul').innerText)
  status.textContent = status.dataset.copied
})

/** Shows whether the app is on. Without the focus: the user may be elsewhere in the page. */
async function showState() {
  const { ok, answer, sentence } = await call('GET', 'auth/mfa')
  problem.hidden = ok
  problem.firstElementChild.textContent = sentence
  if (!ok) return
  off.hidden = answer.totp || !confirm.hidden
  on.hidden = !answer.totp
  on.querySelector('strong').textContent = answer.recovery_codes_left
  for (const form of [newCodes, turnOff]) form.reset()
}

function showSecret({ secret, qr_svg }) {
  const picture = new DOMParser().parseFromString(qr_svg, 'image/svg+xml').documentElement
  confirm.querySelector('.qr').replaceChildren(picture)
  confirm.querySelector('code').textContent = secret
  off.hidden = true
  confirm.hidden = false
  confirm.querySelector('.step').focus()
}

function askForEmailed(isAsked) {
  emailSent.hidden = !isAsked
  emailed.closest('.field').hidden = !isAsked
  emailed.required = isAsked
  confirm.elements.code.value = ''
}

async function showCodes({ recovery_codes }) {
  const items = recovery_codes.map((code) => {
    const item = document.createElement('li')
    item.textContent = code
    return item
  })
  codes.querySelector('ul').replaceChildren(...items)
  status.textContent = ''
  await showState()
  codes.hidden = items.length === 0
  if (items.length > 0) codes.focus()
  else part.querySelector('h2').focus()
}
