import { readToken } from './emailed-token.js'
import { handleForm } from './form.js'

const part = document.querySelector('#undo-additions')
const form = part.querySelector('form')
const reset = document.querySelector('#task > form')
const outcome = part.querySelector('.removed')
let token

// The token of the reset, before its form is emptied. After a reload of the page it is gone.
reset.addEventListener('submit', () => {
  token = readToken(reset)
  part.hidden = false
})
handleForm(form, 'auth/undo-additions', {
  body: () => ({ token }),
  onDone: ({ removed }) => {
    outcome.textContent = removed.length > 0 ? outcome.dataset.removed : outcome.dataset.none
    form.hidden = true
    outcome.hidden = false
    outcome.focus()
  },
})
