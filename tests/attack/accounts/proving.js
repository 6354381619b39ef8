import { codeOf, stepAt } from '../../support/totp-codes.js'

/** @typedef {import('./people.js').World} World */
/** @typedef {import('./people.js').Person} Person */

/** What people do with second factors and passkeys. Each has what they know, and nothing else. */

/** @param {Person} someone */
const newest = ({ access }) => access.at(-1)

/** Types off the code that was emailed. @param {World} world @param {Person} someone */
const emailed = (world, someone) => world.token(someone, 'emailed') || undefined

/** What someone can answer, best first, for a session or a pending login. @param {World} world @param {Person} someone @param {object} asked */
function* answers(world, someone, asked) {
  for (const secret of someone.apps)
    for (const drift of [0, 1]) yield { code: codeOf(secret, stepAt(world.now) + drift) }
  for (const device of someone.devices) {
    const { status, made } = world.do('mfa-options', asked)
    if (status === 200) yield { device, challenge: made.options.challenge }
  }
  for (const recovery of someone.codes) yield { recovery }
}

/** Makes a step with one answer after the other, until one is right. @param {World} world @param {Person} someone @param {object} asked @param {(proof: object) => ReturnType<World['do']>} send */
function proved(world, someone, asked, send) {
  for (const proof of answers(world, someone, asked)) {
    const answer = send(proof)
    if (answer.code !== 'invalid_code' && answer.code !== 'too_many_requests') return answer
  }
  return send({})
}

/** Keeps the tokens of a session. @param {Person} someone @param {ReturnType<World['do']>} answer */
export function keep(someone, { status, made }) {
  if (status !== 200) return false
  someone.access.push(made.access_token)
  someone.refresh.add(made.refresh_token)
  return true
}

/** Logs in with a password, and with whatever else someone has. @param {World} world @param {Person} someone @param {string} login @param {string} [client] */
export function logIn(world, someone, login, client) {
  for (const password of someone.passwords) {
    if (finish(world, someone, world.do('login', { login, password }), client)) return true
  }
  return false
}

/** Answers what a login still asks for. @param {World} world @param {Person} someone @param {ReturnType<World['do']>} first @param {string} [client] */
function finish(world, someone, first, client) {
  if (keep(someone, first)) return true
  if (first.code !== 'mfa_required') return false
  const mfa = first.made.mfa_token
  const send = (/** @type {object} */ proof) => world.do('mfa-login', { mfa, client, ...proof })
  return keep(someone, proved(world, someone, { mfa }, send))
}

/** Logs in with what is emailed, and with whatever else someone has. @param {World} world @param {Person} someone @param {string} email @param {string} [client] */
export function logInByEmail(world, someone, email, client) {
  world.do('ask-login', { email })
  return finish(world, someone, world.do('email-login', { token: world.token(someone, 'login') }), client)
}

/** Logs in with a device. @param {World} world @param {Person} someone */
export function logInByDevice(world, someone) {
  return [...someone.devices].some((device) => {
    const { challenge } = world.do('passkey-login-options').made.options
    return keep(someone, world.do('passkey-login', { device, challenge }))
  })
}

/** Signs in with any of their accounts at the provider, which tells no address. @param {World} world @param {Person} someone @param {string} [client] */
export function logInByProvider(world, someone, client) {
  return [...someone.subjects].some((verifier) => {
    const { status, made } = world.do('provider-visit', { subject: verifier, verifier })
    const given = { oneTime: made.provider_code, verifier, client }
    return status === 200 && finish(world, someone, world.do('provider-exchange', given), client)
  })
}

/** Signs in with a new account at the provider, which makes a user. @param {World} world @param {Person} someone @param {string} name @param {object} about */
export function registerByProvider(world, someone, name, about) {
  const { made } = world.do('provider-visit', { subject: name, name, verifier: name, ...about })
  if (!keep(someone, world.do('provider-exchange', { oneTime: made.provider_code, verifier: name })))
    return false
  someone.subjects.add(name)
  return true
}

/** Adds an account at the provider. @param {World} world @param {Person} someone @param {string} subject */
export function addAccount(world, someone, subject) {
  const asked = { access: newest(someone), verifier: subject }
  world.do('provider-link', asked)
  const token = emailed(world, someone)
  const send = (/** @type {object} */ proof) =>
    world.do('provider-link', { ...asked, emailed: token, ...proof })
  const { status, made } = proved(world, someone, { access: asked.access }, send)
  if (status !== 200) return false
  const back = world.do('provider-link-visit', { link: made.link, subject })
  const added = world.do('provider-exchange', { ...asked, oneTime: back.made.provider_code })
  if (added.status !== 204) return false
  someone.subjects.add(subject)
  return true
}

/** Adds an app. @param {World} world @param {Person} someone @returns whether it is on */
export function addApp(world, someone) {
  const access = newest(someone)
  const { status, made } = world.do('totp-setup', { access })
  if (status !== 200) return false
  world.do('totp-confirm', { access })
  const code = codeOf(made.secret, stepAt(world.now))
  const confirmed = world.do('totp-confirm', { access, code, emailed: emailed(world, someone) })
  if (confirmed.status !== 200) return false
  someone.apps.add(made.secret)
  someone.codes = new Set(confirmed.made.recovery_codes)
  return true
}

/** Adds a device, without a factor for those who know none. @param {World} world @param {Person} someone @param {string} device */
export function addDevice(world, someone, device) {
  const access = newest(someone)
  world.do('passkey-options', { access })
  const token = emailed(world, someone)
  const send = (/** @type {object} */ proof) =>
    world.do('passkey-options', { access, emailed: token, ...proof })
  const { status, made } = proved(world, someone, { access }, send)
  if (status !== 200) return false
  const given = { access, emailed: token, device, name: device, challenge: made.options.challenge }
  if (world.do('passkey-add', given).status !== 201) return false
  someone.devices.add(device)
  return true
}

/** Removes what there is. @param {World} world @param {Person} someone @param {string} login */
export function removeAll(world, someone, login) {
  const access = newest(someone)
  proved(world, someone, { access }, (proof) => world.do('totp-disable', { access, ...proof }))
  const remove = (/** @type {string} */ type, /** @type {number} */ id) => {
    world.do(type, { access, id })
    const token = emailed(world, someone)
    proved(world, someone, { access }, (proof) => world.do(type, { access, id, emailed: token, ...proof }))
  }
  for (const { id } of world.user(login).factors.passkeys) remove('passkey-remove', id)
  world.do('identities', { access })
  for (const { id } of world.user(login).factors.identities) remove('identity-remove', id)
}

/**
 * How an owner gets in whose mailbox is theirs: a reset, and with its token what is new is removed.
 * @param {World} world @param {Person} owner @param {string} email @param {string} password
 */
export function recover(world, owner, email, password) {
  if (world.recover(owner, email, password) !== 200) return false
  return world.do('undo-additions', { token: world.token(owner, 'reset') }).status === 200
}
