import { showFieldError } from './form.js'
import { openNewMail } from './new-mail.js'
import { showSection } from './sections.js'

/** There is nothing to take: people type the code that was mailed. */
export const startWithToken = () => showSection('task', { focus: false })

/** The code as it was typed or pasted, without the gaps: a mail program may have put other spaces and dashes there. */
export const readToken = (form) => form.elements.token.value.replaceAll(/[\s\p{Pd}]/gu, '')

/** The service does not take the code. */
export function showRefusal(form) {
  const { token } = form.elements
  showFieldError(token, [
    'This code is not valid. Compare it with the newest email: a code works once, for a limited time, and a newer one replaces it.',
  ])
  openNewMail()
  token.focus()
}
