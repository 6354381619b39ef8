import { inWords, textOf, withValues } from './texts.js'

/**
 * The outcome of a request.
 * @typedef {object} Outcome
 * @property {boolean} ok
 * @property {number} status 0 if there is no response.
 * @property {object} answer The body; empty if there is none.
 * @property {string} code The error code; empty if the service sent none.
 * @property {string} sentence What went wrong and what to do, for the user.
 * @property {Record<string, { code: string, message: string }[]>} fields The errors of each invalid field.
 */

const timeoutMs = 30_000

/** Posts JSON, without an access token. @param {string} path below /api/v1 @param {object} body */
export const send = (path, body) => request('POST', path, { body })

/**
 * Sends a request to the service. Never rejects.
 * @param {string} method
 * @param {string} path below /api/v1
 * @param {{ body?: object, token?: string, credentials?: RequestCredentials }} [parts] body: sent as JSON; token: the
 *   access token; credentials: `omit` leaves out cookies
 * @returns {Promise<Outcome>}
 */
export async function request(method, path, { body, token, credentials } = {}) {
  try {
    const response = await fetch(`api/v1/${path}`, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body && JSON.stringify(body),
      credentials,
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
      answer: answer ?? {},
      code: String(answer?.code ?? ''),
      sentence: textOf(answer?.code) ?? explain(response),
      fields: errorsByField(answer?.errors),
    }
  } catch {
    return { ok: false, status: 0, answer: {}, code: '', sentence: textOf('unreachable'), fields: {} }
  }
}

function explain({ status, headers }) {
  const time = inWords(Number(headers.get('retry-after')))
  if (status === 422) return textOf('invalid')
  if (status === 429) return withValues(textOf('too-many-attempts'), { time })
  if (status === 503) return withValues(textOf('busy'), { time })
  return textOf('failed')
}

function errorsByField(errors = []) {
  const fields = {}
  for (const { field, code, message } of errors) {
    fields[field] ??= []
    fields[field].push({ code, message: textOf(code) ?? message })
  }
  return fields
}
