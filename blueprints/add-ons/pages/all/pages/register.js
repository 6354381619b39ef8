import { handleForm } from './form.js'
import { watchPassword } from './password-field.js'
import { showSection } from './sections.js'

const form = document.querySelector('#task form')
const { email, username, password } = form.elements

// Without USERNAME_REQUIRED, the service makes a name for who leaves it out.
username.required = username.dataset.required === 'true'
watchPassword(password)
handleForm(form, 'auth/register', {
  body: () => ({
    email: email.value.trim(),
    username: username.value.trim() || undefined,
    password: password.value,
  }),
  onDone: (user) => {
    form.reset()
    // For a reload, after which an empty form would look as if there was no account.
    history.replaceState({ user }, '')
    showUser(user)
  },
})
if (history.state?.user) showUser(history.state.user, { focus: false })
else showSection('task', { focus: false })

/** Shows that the account is ready, with its names. */
function showUser(user, options) {
  for (const element of document.querySelectorAll('#done [data-user]'))
    element.textContent = user[element.dataset.user]
  showSection('done', options)
}
