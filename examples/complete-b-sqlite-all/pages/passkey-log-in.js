import { handleForm } from './form.js'
import { finishLogIn } from './log-in.js'
import { send } from './service.js'
import { loginPath } from './session.js'
import { hasAutofill, hasPasskeys, usePasskey } from './webauthn.js'

const form = document.querySelector('#passkey-log-in')
const username = document.querySelector('#username')
/** A challenge is valid for 5 minutes. */
const renewAfterMs = 4 * 60_000
let chosen
let timer

form.hidden = !hasPasskeys()
handleForm(form, 'auth/passkeys/login', {
  body: () => undefined,
  submit: logIn,
  onDone: finishLogIn,
})
hasAutofill().then((isSupported) => {
  if (!isSupported) return
  username.setAttribute('autocomplete', 'username webauthn')
  const offer = () => timer ?? offerAutofill()
  new IntersectionObserver(offer).observe(username)
  document.addEventListener('visibilitychange', offer)
})

/** Logs in with the passkey that the user chose in the field, or chooses now. */
async function logIn(path) {
  stopRenewal()
  const signature = chosen ?? (await usePasskey(await send(`${path}/options`)))
  chosen = undefined
  const outcome = signature.ok ? await send(loginPath(path), { credential: signature.answer }) : signature
  if (!outcome.ok) offerAutofill()
  return outcome
}

/** Lets the browser offer passkeys in the field for the name, while the user sees it. */
async function offerAutofill() {
  stopRenewal()
  if (document.hidden || !username.checkVisibility()) return
  timer = setTimeout(offerAutofill, renewAfterMs)
  const options = await send('auth/passkeys/login/options')
  const signature = await usePasskey(options, { useBrowserAutofill: true })
  // Not if the browser was asked anew in the meantime.
  if (!signature.ok) return
  chosen = signature
  form.requestSubmit()
}

function stopRenewal() {
  clearTimeout(timer)
  timer = undefined
}
