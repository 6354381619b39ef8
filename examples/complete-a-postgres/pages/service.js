/**
 * The outcome of a request.
 * @typedef {object} Outcome
 * @property {boolean} ok
 * @property {string} code The error code; empty if the service sent none.
 * @property {string} sentence What went wrong and what to do, for the user.
 * @property {Record<string, string[]>} fields The messages of each invalid field.
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
      fields: messagesByField(answer.errors),
    }
  } catch {
    const sentence = 'The service could not be reached. Check your internet connection, then try again.'
    return { ok: false, code: '', sentence, fields: {} }
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
