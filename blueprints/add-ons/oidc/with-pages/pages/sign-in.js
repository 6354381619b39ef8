import { afterLogIn, finishLogIn, showStep } from './log-in.js'
import { isPath, takeFlow } from './provider-flow.js'
import { showSection } from './sections.js'
import { send } from './service.js'
import { call, keepPage, loginPath } from './session.js'
import { textOf } from './texts.js'

const path = 'auth/oidc/exchange'
const fragment = new URLSearchParams(location.hash.slice(1))
// A code works once, and does not belong into the history.
history.replaceState(null, '', location.pathname)
const { verifier, isLink } = takeFlow()
const next = fragment.get('return_to')

// Anybody can write this address: a path alone leads to no page of somebody else.
if (isPath(next)) afterLogIn(() => location.assign(next))
if (fragment.has('code') && verifier) await exchange(fragment.get('code'))
else showRefusal(textOf(fragment.get('error') ?? 'not-begun') ?? textOf('invalid_answer'))

/** Exchanges the code for a session, or adds the account at the provider to the user of this browser. */
async function exchange(code) {
  showSection('task', { focus: false })
  // A reload would lose what this page has to say.
  if (isLink) keepPage()
  const body = { code, code_verifier: verifier }
  const outcome = await (isLink ? call('POST', path, body) : send(loginPath(path), body))
  if (outcome.ok && isLink) location.replace('account')
  else if (outcome.ok) await finishLogIn(outcome.answer)
  else if (!showStep(outcome)) showRefusal(outcome.sentence)
}

function showRefusal(sentence) {
  document.querySelector('#reason').textContent = sentence
  showSection('refused')
}
