/**
 * Shows one section of the page instead of the others.
 * @param {string} id
 * @param {{ focus?: boolean }} [options] focus: goes to its heading, so that a screen reader reads on there
 */
export function showSection(id, { focus = true } = {}) {
  for (const section of document.querySelectorAll('main > section')) section.hidden = section.id !== id
  if (focus) document.querySelector(`#${id} h1`).focus()
}
