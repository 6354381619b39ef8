import { offerLogIn } from './log-in.js'
import { showSection } from './sections.js'
import { call, hasSession } from './session.js'

const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: 'long' })
let showParts = () => {}

/**
 * Shows the account, or the form to log in.
 * @param {(user: object) => void} [onUser] shows what the mode adds
 */
export async function startAccount(onUser = () => {}) {
  showParts = onUser
  offerLogIn(() => load())
  document.querySelector('#retry').addEventListener('click', () => load())
  // The browser shows a page of its history as it was: the user may have logged out since.
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
  if (hasSession()) await load({ focus: false })
  else showSection('log-in', { focus: false })
}

/** Shows the fields of the user in the elements that name them. */
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
  showParts(user)
}

async function load(options) {
  const outcome = await call('GET', 'users/me')
  if (outcome.ok) {
    showUser(outcome.answer)
    showSection('account', options)
  } else {
    document.querySelector('#reason').textContent = outcome.sentence
    showSection('unavailable')
  }
}
