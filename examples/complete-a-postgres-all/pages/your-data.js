import { handleForm } from './form.js'
import { call, endSession } from './session.js'
import { withValues } from './texts.js'

const download = document.querySelector('#export')
const saved = download.querySelector('.sent')
const deletion = document.querySelector('#delete-account')
const ask = document.querySelector('#ask-deletion')
const { current_password: password } = deletion.elements

download.addEventListener('submit', () => {
  saved.hidden = true
})
handleForm(download, 'users/me/export', {
  body: () => undefined,
  submit: (path) => call('GET', path),
  onDone: (answer) => {
    save(answer)
    saved.hidden = false
    saved.focus()
  },
})

ask.addEventListener('click', () => showDeletion(true))
deletion.addEventListener('reset', () => showDeletion(false))
handleForm(deletion, 'users/me', {
  body: () => ({ current_password: password.value || undefined }),
  submit: async (path, body) => withTime(await call('DELETE', path, body)),
  onDone: () => endSession('account-deleted'),
})

/** Saves a file. A link to the API would need a token in its URL, and URLs get into logs and the history. */
function save(answer) {
  const file = new Blob([JSON.stringify(answer, null, 2)], { type: 'application/json' })
  const link = document.createElement('a')
  link.download = download.dataset.file
  link.href = URL.createObjectURL(file)
  link.click()
}

function showDeletion(isShown) {
  ask.hidden = isShown
  deletion.hidden = !isShown
  deletion.querySelector('.problem').hidden = true
  if (isShown) deletion.querySelector('.note').focus()
  else ask.focus()
}

/** Fills in until when a change of the address can be undone: only the detail of the error says so. */
function withTime(outcome) {
  const [until] = /\d{4}-[\d-]+T[\d:.]+Z/.exec(outcome.answer.detail) ?? []
  if (!until) return outcome
  const { lang } = document.documentElement
  const time = new Date(until).toLocaleString(lang, { dateStyle: 'long', timeStyle: 'short' })
  return { ...outcome, sentence: withValues(outcome.sentence, { time }) }
}
