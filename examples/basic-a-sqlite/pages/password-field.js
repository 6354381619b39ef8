import { messages } from './messages.js'
import { obeys } from './password-rules.js'

/**
 * Sets up a field for a new password: shows which rules are met while the user types, and toggles its visibility.
 * @param {HTMLInputElement} input
 */
export function watchPassword(input) {
  watchRules(input)
  const toggle = document.querySelector(`[aria-controls='${input.id}']`)
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    toggle.textContent = isShown ? messages.hide : messages.show
    toggle.setAttribute('aria-label', isShown ? messages.hidePassword : messages.showPassword)
  }
  toggle.addEventListener('click', () => show(input.type === 'password'))
  // Browsers may store the content of text fields.
  input.form.addEventListener('submit', () => show(false))
}

function watchRules(input) {
  const items = [...document.querySelectorAll('.rules li')]
  const status = document.querySelector('.rules [role=status]')
  // The maximum length is shown only if it is exceeded.
  const bounds = new Set(items.filter((item) => obeys(item.dataset, '')))

  for (const { dataset, firstChild } of items) {
    firstChild.textContent = messages.byCode[dataset.code] ?? firstChild.textContent
  }

  const update = () => {
    for (const item of items) {
      const isMet = obeys(item.dataset, input.value)
      item.classList.toggle('met', isMet)
      item.querySelector('.state').textContent = isMet ? messages.ruleMet : ''
      item.hidden = isMet && bounds.has(item)
    }
  }
  update()
  input.addEventListener('input', () => {
    update()
    const open = items.filter((item) => !item.classList.contains('met')).length
    // Update only changed text: a screen reader announces every update.
    const text = open === 0 ? messages.rulesMet : messages.rulesNotMet(open)
    if (status.textContent !== text) status.textContent = text
  })
}
