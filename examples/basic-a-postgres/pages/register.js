import { handleForm } from './form.js'
import { watchPassword } from './password-field.js'
import { showSection } from './sections.js'

const form = document.querySelector('#task form')
const { email, username, password } = form.elements

watchPassword(password)
handleForm(form, 'auth/register', {
  body: () => ({ email: email.value.trim(), username: username.value.trim(), password: password.value }),
  onDone: (user) => {
    form.reset()
    for (const element of document.querySelectorAll('#done [data-user]'))
      element.textContent = user[element.dataset.user]
    showSection('done')
  },
})
showSection('task', { focus: false })
