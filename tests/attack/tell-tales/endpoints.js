/**
 * Requests for a name whose answer must not reveal whether it belongs to a user.
 * @typedef {object} TellTale
 * @property {string} what
 * @property {string} method
 * @property {string} path
 * @property {(name: string) => object} bodyOf the body for the user of this name, or for nobody
 * @property {boolean} [needsToken]
 */

const email = (/** @type {string} */ name) => ({ email: `${name}@example.com` })

/**
 * A registration and a change of the email address that succeed reveal by design that the name was free, and 409 that it
 * was not. A request that fails for another reason must reveal nothing.
 * @type {TellTale[]}
 */
export const tellTales = [
  {
    what: 'login by username',
    method: 'post',
    path: '/api/v1/auth/login',
    bodyOf: (name) => ({ username: name, password: 'Wrong-Horse-7' }),
  },
  {
    what: 'login by email',
    method: 'post',
    path: '/api/v1/auth/login',
    bodyOf: (name) => ({ ...email(name), password: 'Wrong-Horse-7' }),
  },
  {
    what: 'register with a weak password',
    method: 'post',
    path: '/api/v1/auth/register',
    bodyOf: (name) => ({ username: name, ...email(name), password: 'weak' }),
  },
  {
    what: 'change of the email with a wrong password',
    method: 'put',
    path: '/api/v1/users/me',
    bodyOf: (name) => ({ ...email(name), current_password: 'Wrong-Horse-7' }),
    needsToken: true,
  },
  {
    what: 'forgot-password',
    method: 'post',
    path: '/api/v1/auth/forgot-password',
    bodyOf: email,
  },
  {
    what: 'resend-verification',
    method: 'post',
    path: '/api/v1/auth/resend-verification',
    bodyOf: email,
  },
  {
    what: 'email-login',
    method: 'post',
    path: '/api/v1/auth/email-login',
    bodyOf: email,
  },
]

/**
 * The endpoints that take a name or an email without a tell-tale above.
 * @param {any} openApi the document of a service
 * @returns {string[]}
 */
export function unattacked({ paths }) {
  const isAttacked = (/** @type {string} */ method, /** @type {string} */ path) =>
    tellTales.some((tellTale) => tellTale.method === method && tellTale.path === path)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method, operation]) => takesName(operation) && !isAttacked(method, path))
      .map(([method]) => `${method} ${path}`),
  )
}

/** @param {any} operation */
function takesName({ requestBody, parameters = [] }) {
  const [body] = Object.values(requestBody?.content ?? {})
  const properties = body?.schema.properties ?? {}
  const names = [...Object.keys(properties), ...parameters.map((/** @type {any} */ { name }) => name)]
  return names.includes('username') || names.includes('email')
}
