/**
 * Shows one section of the page and hides the others.
 * @param {string} id
 * @param {{ focus?: boolean }} [options] focus: moves the focus to its heading, for screen readers
 */
export function showSection(id, { focus = true } = {}) {
  for (const section of document.querySelectorAll('main > section')) section.hidden = section.id !== id
  if (focus) document.querySelector(`#${id} h1`).focus()
}

/** Shows the last section, also after a reload: the token is used by then, and the form would be useless. */
export function showDone(id = 'done') {
  history.replaceState({ ...history.state, done: id }, '')
  showSection(id)
}

/** The last section, if this page had shown it before it was reloaded. */
export const doneSection = () => history.state?.done
