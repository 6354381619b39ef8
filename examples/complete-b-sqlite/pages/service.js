/**
 * The outcome of a request.
 * @typedef {object} Outcome
 * @property {boolean} ok
 * @property {number} status 0 if there is no response.
 * @property {object} answer The body; empty if there is none, or after an error.
 * @property {string} code The error code; empty if the service sent none.
 * @property {string} sentence What went wrong and what to do, for the user.
 * @property {Record<string, string[]>} fields The messages of each invalid field.
 */

const timeoutMs = 30_000

/** Posts JSON, without an access token. @param {string} path below /api/v1 @param {object} body */
export const send = (path, body) => request('POST', path, { body })

/**
 * Sends a request to the service. Never rejects.
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {{ body?: object, token?: string }} [parts] body: sent as JSON; token: the access token
 * @returns {Promise<Outcome>}
 */
export async function request(method, path, { body, token } = {}) {
  try {
    const response = await fetch(`api/v1/${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const { status } = response
    const answer = status === 204 ? {} : await response.json().catch(() => undefined)
    // Not if the body is cut off or no JSON.
    if (response.ok && answer) return { ok: true, status, answer, code: '', sentence: '', fields: {} }
    return {
      ok: false,
      status,
      answer: {},
      code: String(answer?.code ?? ''),
      sentence: explain(response),
      fields: messagesByField(answer?.errors),
    }
  } catch {
    const sentence = 'The service could not be reached. Check your internet connection, then try again.'
    return { ok: false, status: 0, answer: {}, code: '', sentence, fields: {} }
  }
}

function explain({ status, headers }) {
  const wait = inWords(Number(headers.get('retry-after')))
  if (status === 422) return 'Some of the input is not valid. Check the form, then try again.'
  if (status === 429) return `Too many attempts. Wait ${wait}, then try again.`
  if (status === 503) return `The service is busy. Wait ${wait}, then try again. Nothing is lost.`
  return 'Something went wrong in the service. Try again in a few minutes. If that does not help, contact its operator.'
}

/** @param {number} seconds from the Retry-After header; 0 if it is missing */
function inWords(seconds) {
  if (!(seconds > 0)) return 'a minute'
  if (seconds === 1) return 'a second'
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}

function messagesByField(errors = []) {
  const fields = {}
  for (const { field, message } of errors) {
    fields[field] ??= []
    fields[field].push(message)
  }
  return fields
}
