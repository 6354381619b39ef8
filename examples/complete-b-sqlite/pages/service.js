import { messages } from './messages.js'

/**
 * The outcome of a request.
 * @typedef {object} Outcome
 * @property {boolean} ok
 * @property {string} code The error code; empty if the service sent none.
 * @property {string} sentence What went wrong and what to do, for the user.
 * @property {Record<string, { code: string, message: string }[]>} fields The errors of each invalid field.
 */

const timeoutMs = 30_000

/**
 * Sends JSON to the service. Never rejects.
 * @param {string} path below /api/v1/auth
 * @param {object} body
 * @returns {Promise<Outcome>}
 */
export async function send(path, body) {
  try {
    const response = await fetch(`api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer = await response.json().catch(() => ({}))
    if (response.ok) return { ok: true, code: '', sentence: '', fields: {} }
    return {
      ok: false,
      code: String(answer.code ?? ''),
      sentence: explain(response),
      fields: errorsByField(answer.errors),
    }
  } catch {
    return { ok: false, code: '', sentence: messages.unreachable, fields: {} }
  }
}

function explain({ status, headers }) {
  const seconds = Number(headers.get('retry-after'))
  if (status === 422) return messages.invalid
  if (status === 429) return messages.tooManyAttempts(seconds)
  if (status === 503) return messages.busy(seconds)
  return messages.failed
}

function errorsByField(errors = []) {
  const fields = {}
  for (const { field, code, message } of errors) {
    fields[field] ??= []
    fields[field].push({ code, message: messages.byCode[code] ?? message })
  }
  return fields
}
