/**
 * PKCE of these pages (RFC 7636): the code in the address of the page `sign-in` is worth nothing without the verifier, which
 * stays in this tab.
 */
const key = 'oidc-flow'

const base64url = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/**
 * Creates the verifier of the next flow.
 * @param {{ isLink?: boolean }} [flow] isLink: it adds an account to the user
 * @returns {Promise<string>} the challenge
 */
export async function createChallenge({ isLink = false } = {}) {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  sessionStorage.setItem(key, JSON.stringify({ verifier, isLink }))
  return base64url(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier)))
}

/** Whether the service takes a text as `return_to`. */
export const isPath = (text) => /^\/(?![/\\])[ -~]*$/.test(text ?? '') && text.length <= 1024

/** What this tab has begun, once. @returns {{ verifier?: string, isLink?: boolean }} */
export function takeFlow() {
  const flow = JSON.parse(sessionStorage.getItem(key) ?? '{}')
  sessionStorage.removeItem(key)
  return flow
}
