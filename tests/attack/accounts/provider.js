import { createHash } from 'node:crypto'

/** @typedef {import('./model/step.js').Action} Action */
/** @typedef {import('./instances.js').Reply} Reply */

/** What a lie changes of the claims that are signed. @type {Record<string, object>} */
const claimed = {
  issuer: { iss: 'https://other.example.com' },
  audience: { aud: 'another-client' },
  nonce: { nonce: 'of another flow' },
  expired: { exp: 1 },
  'no subject': { sub: '' },
}

/** What a lie changes of the query with which a browser comes back. @type {Record<string, (query: URLSearchParams) => void>} */
const answered = {
  iss: (query) => query.set('iss', 'https://other.example.com'),
  'stolen code': (query) => query.set('code', 'of somebody else'),
  denied(query) {
    query.delete('code')
    query.set('error', 'access_denied')
  },
}

/** Without what the service would then ask userinfo for. */
const sparse = { email: undefined, email_verified: undefined, preferred_username: undefined }

/** @param {string} verifier */
export const challengeOf = (verifier) => createHash('sha256').update(verifier).digest('base64url')

/** @param {any} answer */
const cookieOf = ({ headers }) => String(headers['set-cookie'] ?? '').split(';')[0] ?? ''

/** What the page of the front end gets. @param {any} answer @returns {{ code?: string, error?: string }} */
const fragmentOf = ({ headers }) =>
  Object.fromEntries(new URLSearchParams(new URL(headers.location).hash.slice(1)))

/**
 * The provider of a project's own tests, with the browsers that go there. It lies as the account that someone has there
 * says.
 * @param {any} support test/support/provider.ts
 */
export async function openProvider({ encodeJwt, settingsOf, startProvider }) {
  /** @type {(() => void)[]} */
  const ends = []
  const provider = await startProvider((/** @type {() => void} */ end) => ends.push(end))
  provider.lies = {
    claims: (/** @type {any} */ right) => ({
      ...right,
      ...(right.isSparse || right.lie === 'userinfo' ? sparse : {}),
      ...claimed[right.lie],
    }),
    idToken(/** @type {string} */ right) {
      const claims = JSON.parse(Buffer.from(right.split('.')[1] ?? '', 'base64url').toString())
      return claims.lie === 'alg none' ? encodeJwt({ alg: 'none' }, claims, () => Buffer.alloc(0)) : right
    },
    userinfo: (/** @type {any} */ right) =>
      right.lie === 'userinfo' ? { ...right, sub: 'somebody-else' } : right,
  }

  /** @param {any} app @param {string} path @param {string} [cookie] */
  const get = (app, path, cookie) =>
    app.inject({ url: `/api/v1/auth/oidc/acme${path}`, headers: cookie ? { cookie } : {} })

  /** Leads a browser to the provider. @param {any} app @param {{ link?: string, verifier?: string, [field: string]: any }} flow */
  const open = (app, { link, verifier = '' }) => {
    const query = link === undefined ? { code_challenge: challengeOf(verifier) } : { link }
    return get(app, `?${new URLSearchParams(query)}`)
  }

  return {
    /** In production, no issuer is on this machine. @param {boolean} isTrusted */
    settingsOf: (isTrusted) => ({
      NODE_ENV: 'test',
      ...settingsOf(provider),
      OIDC_ACME_EMAIL_TRUSTED: String(isTrusted),
    }),

    /**
     * Leads a browser to the provider and back.
     * @param {any} app @param {Action} action @returns {Promise<Reply>} status 200 with a code, or 400 with the error
     */
    async visit(app, { subject, email, verified, name, lie, isSparse, isTwice, ...flow }) {
      const started = await open(app, flow)
      const { error } = fragmentOf(started)
      if (error) return { status: 400, body: { code: error } }
      const about = { email_verified: verified, preferred_username: name, lie, isSparse }
      provider.account = { sub: subject, email, ...about }
      const query = new URLSearchParams(provider.authorize(started.headers.location))
      answered[lie]?.(query)
      if (lie === 'state') {
        const other = await open(app, { verifier: 'of another flow' })
        query.set('state', new URL(other.headers.location).searchParams.get('state') ?? '')
      }
      const come = async (/** @type {string} */ cookie) =>
        fragmentOf(await get(app, `/callback?${query}`, cookie))
      // The browser of somebody else, which uses the flow up.
      const elsewhere = lie === 'browser' ? await come('') : {}
      const back = elsewhere.code ? elsewhere : await come(cookieOf(started))
      const again = isTwice && back.code ? (await come(cookieOf(started))).error : undefined
      if (back.code === undefined) return { status: 400, body: { code: back.error } }
      return { status: 200, body: { provider_code: back.code, again } }
    },

    close() {
      for (const end of ends) end()
    },
  }
}
