import { offerLogIn } from './log-in.js'
import { showSection } from './sections.js'
import { call, hasSession, logOut } from './session.js'

const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' })
const parts = []

// By then, the scripts of all parts have called onUser.
addEventListener('DOMContentLoaded', async () => {
  offerLogIn(() => load())
  document.querySelector('#retry').addEventListener('click', () => load())
  document.querySelector('#log-out').addEventListener('click', logOut)
  // The browser shows a page of its history as it was: the user may have logged out since.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  if (hasSession()) await load({ focus: false })
  else showSection('log-in', { focus: false })
})

/**
 * Gives a part of the account page the user, before it is shown and after each change.
 * @param {(user: object) => void} show
 */
export const onUser = (show) => parts.push(show)

/** Shows the fields of the user in the elements that name them, and in the parts. */
export function showUser(user) {
  for (const element of document.querySelectorAll('[data-user]')) {
    const value = user[element.dataset.user]
    // An input tells password managers whose password changes.
    if (element.matches('input')) element.value = value
    else if (element.matches('time')) {
      element.dateTime = value
      element.textContent = date.format(new Date(value))
    } else element.textContent = value
  }
  for (const show of parts) show(user)
}

async function load(options) {
  const outcome = await call('GET', 'users/me')
  if (outcome.ok) {
    showUser(outcome.answer)
    showSection('account', options)
  } else if (!hasSession()) showSection('log-in', options)
  else {
    document.querySelector('#reason').textContent = outcome.sentence
    showSection('unavailable')
  }
}
