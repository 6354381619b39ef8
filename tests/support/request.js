/**
 * Sends one request, its body as JSON.
 * @param {string} url
 * @param {string} method
 * @param {{ body?: object | undefined, token?: string | undefined }} [options]
 */
export async function sendJson(url, method, { body, token } = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
