import { onUser } from './account.js'
import { handleForm } from './form.js'
import { createChallenge } from './provider-flow.js'
import { request } from './service.js'
import { call } from './session.js'

const part = document.querySelector('#linked-accounts')
const title = part.querySelector('h2')
const problem = document.querySelector('#linked-accounts-problem')
const list = part.querySelector('ul')
const template = part.querySelector('template')
const status = part.querySelector('[role=status]')
const [link, unlink] = ['link', 'unlink'].map((name) => document.querySelector(`#${name}-account`))
const { provider } = link.elements
const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'medium' })
const labels = new Map()
let chosen
let proofIn = () => ({})

/**
 * Sets how to read the proof of a second factor in a form, which has a field `code` for it.
 * @param {(form: HTMLFormElement) => object} read
 */
export const onProof = (read) => {
  proofIn = read
}

onUser(showAccounts)
handleForm(link, 'auth/oidc', {
  body: () => ({ ...emailedIn(link), ...proofIn(link) }),
  submit: async (path, body) =>
    call('POST', `${path}/${provider.value}/link`, {
      ...body,
      code_challenge: await createChallenge({ isLink: true }),
    }),
  onRefused: (outcome) => showAsked(link, outcome),
  onDone: ({ url }) => location.assign(url),
})
handleForm(unlink, 'auth/identities', {
  body: () => ({ ...emailedIn(unlink), ...proofIn(unlink) }),
  submit: (path, body) => call('DELETE', `${path}/${chosen}`, body),
  onRefused: (outcome) => showAsked(unlink, outcome),
  onDone: async () => {
    unlink.reset()
    status.textContent = status.dataset.removed
    await showAccounts()
  },
})
for (const form of [link, unlink])
  form.addEventListener('reset', () => {
    close(form)
    link.hidden = labels.size === 0
    title.focus()
  })

/** Shows the accounts of the user, newest first. Without a provider and an account, there is nothing to show. */
async function showAccounts() {
  const [providers, { ok, answer, sentence }] = await Promise.all([
    request('GET', 'auth/oidc'),
    call('GET', 'auth/identities'),
  ])
  problem.hidden = ok
  problem.firstElementChild.textContent = sentence
  if (!ok || !providers.ok) return
  labels.clear()
  for (const { name, label } of providers.answer.providers) labels.set(name, label)
  provider.replaceChildren(...[...labels].map(([name, label]) => new Option(label, name)))
  list.replaceChildren(...answer.identities.map(itemOf))
  link.hidden = labels.size === 0
  part.hidden = link.hidden && answer.identities.length === 0
}

function itemOf({ id, provider, email, created_at }) {
  const item = template.content.cloneNode(true)
  const name = labels.get(provider) ?? provider
  item.querySelector('.name').textContent = name
  item.querySelector('.account').textContent = email ?? ''
  const time = item.querySelector('time')
  time.dateTime = created_at
  time.textContent = date.format(new Date(created_at))
  const button = item.querySelector('button')
  button.setAttribute('aria-label', `${button.textContent}: ${name}`)
  button.addEventListener('click', () => {
    close(link)
    close(unlink)
    link.hidden = true
    chosen = id
    unlink.querySelector('.chosen').textContent = name
    unlink.hidden = false
    unlink.querySelector('.question').focus()
  })
  return item
}

/** Hides what was asked for, and the form that is about one account. */
function close(form) {
  for (const field of form.querySelectorAll('.asked')) {
    field.hidden = true
    field.querySelector('input').required = false
    field.querySelector('input').value = ''
  }
  form.querySelector('.problem').hidden = true
  if (form === link) form.querySelector('[type=reset]').hidden = true
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
