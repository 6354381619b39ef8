import { meets } from './password-rules.js'
import { textOf, withValues } from './texts.js'

/**
 * Sets up a field for a new password: shows which rules are met while the user types, and toggles its visibility.
 * @param {HTMLInputElement} input
 */
export function watchPassword(input) {
  watchRules(input)
  const toggle = document.querySelector(`[aria-controls='${input.id}']`)
  const { textContent: text } = toggle
  const label = toggle.getAttribute('aria-label')
  const show = (isShown) => {
    input.type = isShown ? 'text' : 'password'
    toggle.textContent = isShown ? toggle.dataset.hide : text
    toggle.setAttribute('aria-label', isShown ? toggle.dataset.hideLabel : label)
  }
  toggle.addEventListener('click', () => show(input.type === 'password'))
  // Browsers may store the content of text fields.
  input.form.addEventListener('submit', () => show(false))
}

function watchRules(input) {
  const items = [...document.querySelectorAll('.rules li')]
  const status = document.querySelector('.rules [role=status]')
  const { met } = document.querySelector('.rules').dataset
  // The maximum length is shown only if it is exceeded.
  const bounds = new Set(items.filter((item) => meets('', item.dataset)))

  for (const { dataset, firstChild } of items) {
    firstChild.textContent = textOf(dataset.code) ?? firstChild.textContent
  }

  const update = () => {
    for (const item of items) {
      const isMet = meets(input.value, item.dataset)
      item.classList.toggle('met', isMet)
      item.querySelector('.state').textContent = isMet ? ` ${met}` : ''
      item.hidden = isMet && bounds.has(item)
    }
  }
  update()
  input.addEventListener('input', () => {
    update()
    const open = items.filter((item) => !item.classList.contains('met')).length
    // Update only changed text: a screen reader announces every update.
    const text = open === 0 ? status.dataset.met : withValues(status.dataset.notMet, { count: open })
    if (status.textContent !== text) status.textContent = text
  })
}
