import { obeys } from './password-rules.js'

/**
 * A field for a new password: shows which rules it obeys while somebody types, and the password itself on demand.
 * @param {HTMLInputElement} input
 */
export function watchPassword(input) {
  watchRules(input)
  const toggle = document.querySelector(`[aria-controls='${input.id}']`)
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    toggle.textContent = isShown ? 'Hide' : 'Show'
    toggle.setAttribute('aria-label', isShown ? 'Hide password' : 'Show password')
  }
  toggle.addEventListener('click', () => show(input.type === 'password'))
  // Browsers offer to keep what is typed into a field of text.
  input.form.addEventListener('submit', () => show(false))
}

function watchRules(input) {
  const items = [...document.querySelectorAll('.rules li')]
  const status = document.querySelector('.rules [role=status]')
  // A bound that nobody meets by chance is shown only to those who break it.
  const bounds = new Set(items.filter((item) => obeys(item.dataset, '')))

  const update = () => {
    for (const item of items) {
      const isMet = obeys(item.dataset, input.value)
      item.classList.toggle('met', isMet)
      item.querySelector('.state').textContent = isMet ? ' (done)' : ''
      item.hidden = isMet && bounds.has(item)
    }
  }
  update()
  input.addEventListener('input', () => {
    update()
    const open = items.filter((item) => !item.classList.contains('met')).length
    // A screen reader says it only when the text has changed.
    const text = open === 0 ? 'The password meets all rules.' : `${open} of the rules not met yet.`
    if (status.textContent !== text) status.textContent = text
  })
}
