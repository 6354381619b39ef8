import { violationsOf } from './conforms.js'
import { fill } from './fill.js'
import { accounts } from './rules/accounts.js'
import { badToken, invalid, noToken } from './rules/expected.js'
import { mails } from './rules/mails.js'
import { sessions } from './rules/sessions.js'
import { isText } from './validity.js'

/** @typedef {import('../document.js').Operation} Operation */
/** @typedef {import('./rules/expected.js').Expected} Expected */
/** @typedef {import('./steps.js').Step} Step */
/** @typedef {import('./model.js').Model} Model */

/** @type {Record<string, import('./rules/expected.js').Rule>} */
export const rules = { ...accounts, ...sessions, ...mails }

/** The mail of a request comes later. */
const isMailRequest = (/** @type {string} */ name) =>
  /\/(forgot-password|resend-verification|email-login)$/.test(name)

/**
 * Makes the calls of a sequence, one after another, and compares each answer with the model and the schema.
 * @param {{ service: import('../service.js').Attacked, mailbox: import('./mailbox.js').Mailbox | undefined, operations: Map<string, Operation>, onCall: () => void }} lane
 * @param {Model} model
 * @param {Step[]} steps
 * @throws Error with the requests of the sequence if an answer is wrong
 */
export async function runSequence({ service, mailbox, operations, onCall }, model, steps) {
  /** @type {string[]} */
  const trace = []
  /** The mails that were requested and perhaps not handled. */
  const requested = new Set()
  try {
    for (const step of steps) {
      const operation = /** @type {Operation} */ (operations.get(step.operation))
      const request = fill(model, step)
      const mail =
        isMailRequest(step.operation) && `${step.operation} ${String(request.body.email).toLowerCase()}`
      // Two waiting requests for the same mail are one.
      if (requested.size > 0 && (!mail || requested.has(mail))) await settle()
      if (mail) requested.add(mail)
      // Their tokens are used, or they are deleted with the account.
      else if (/verify|reset|undo|^DELETE .*\/me$/.test(step.operation)) await mailbox?.compare(model)
      await call(operation, step, mail ? request : fill(model, step))
    }
    await settle()
    await mailbox?.compare(model)
  } catch (error) {
    await mailbox?.skip()
    throw new Error([...trace, /** @type {Error} */ (error).message].join('\n'))
  }

  async function settle() {
    if (requested.size > 0) await mailbox?.settle()
    requested.clear()
    await mailbox?.compare(model)
  }

  /** @param {Operation} operation @param {Step} step @param {ReturnType<typeof fill>} request */
  async function call(operation, step, request) {
    const { name, method, responses } = operation
    const hasRule = name in rules
    // A call that the model does not understand must not change what it knows.
    const token = hasRule ? request.token : undefined
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, key) =>
      encodeURIComponent(request.params[key] ?? ''),
    )
    const sent = operation.body && (step.raw ?? request.body)
    trace.push(`${method} ${path} ${shorten(JSON.stringify(sent))} ${token ? `token: ${step.bearer}` : ''}`)
    onCall()
    const answer = await service.request(
      method,
      path,
      sent,
      token ? { authorization: `Bearer ${token}` } : {},
    )
    trace.push(`  ${answer.status} ${shorten(answer.text)}`)

    if (answer.status >= 500) throw new Error(`${answer.status}`)
    if (!responses.has(answer.status)) throw new Error(`${answer.status} is not in the document`)
    const schema = responses.get(answer.status)
    const violations = schema ? violationsOf(answer.body, schema) : answer.text === '' ? [] : ['a body']
    if (violations.length > 0) throw new Error(violations.join('\n'))
    if (!hasRule) return

    const caller = model.callerOf(token)
    const expected = [expectedOf(model, operation, step, { ...request, caller, token })].flat()
    const match = expected.find(
      ({ status, code }) => status === answer.status && (!code || code === answer.body.code),
    )
    if (!match)
      throw new Error(
        `the model expects ${expected.map(({ status, code = '' }) => `${status} ${code}`).join(' or ')}`,
      )
    match.apply?.(answer.body)
  }
}

/**
 * @param {Model} model
 * @param {Operation} operation
 * @param {Step} step
 * @param {ReturnType<typeof fill> & { caller: import('./model.js').Session | undefined }} request
 * @returns {Expected | Expected[]}
 */
function expectedOf(model, operation, { raw }, { body: filled, params, token, caller }) {
  if (operation.isProtected && !caller) return token === undefined ? noToken : badToken
  if (operation.params && violationsOf(params, operation.params).length > 0) return invalid
  // An empty body is no body, and stands for {} where none is needed.
  const isEmpty = raw === '' && !operation.needsBody
  if (raw !== undefined && operation.body && !isEmpty) return rawBody(raw)
  const body = isEmpty ? {} : filled
  if (operation.body && violationsOf(body, operation.body).length > 0) return invalid
  if (operation.body && Object.values(body).some((value) => typeof value === 'string' && !isText(value)))
    return invalid
  const rule = /** @type {import('./rules/expected.js').Rule} */ (rules[operation.name])
  return rule(model, { body, params, caller })
}

/** @param {string} raw @returns {Expected} */
function rawBody(raw) {
  if (raw.length > 16_384) return { status: 413, code: 'payload_too_large' }
  return /^("|\[\])/.test(raw) ? invalid : { status: 400, code: 'bad_request' }
}

/** @param {string} [text] */
const shorten = (text = '') => (text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text)
