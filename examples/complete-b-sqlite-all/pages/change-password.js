import { showDevices } from './devices.js'
import { handleForm } from './form.js'
import { watchPassword } from './password-field.js'
import { callForTokens } from './session.js'

const form = document.querySelector('#change-password')
const { current_password: current, new_password: next } = form.elements
const changed = document.querySelector('#password-changed')

watchPassword(next)
form.addEventListener('submit', () => {
  changed.hidden = true
})
handleForm(form, 'auth/change-password', {
  body: () => ({ current_password: current.value, new_password: next.value }),
  submit: (path, body) => callForTokens('POST', path, body),
  onDone: async () => {
    form.reset()
    // The rules are those of an empty password again.
    next.dispatchEvent(new Event('input'))
    await showDevices()
    changed.hidden = false
    changed.focus()
  },
})
