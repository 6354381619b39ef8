import { rawRequest } from '../measure/connection.js'

/** How many different requests a flood repeats, so that they are no repetitions of one name. */
const VARIETY = 200
const PASSWORD = 'Correct-Horse-7'

/**
 * A flood of one endpoint.
 * @typedef {object} Endpoint
 * @property {string} name
 * @property {(client: Client) => string[]} requestsOf raw requests by one client
 */
/** @typedef {{ username: string, address: string, token: string }} Client `address`: from X-Forwarded-For */

/**
 * Every endpoint of a service, with bodies that get past the validation.
 * @param {any} openApi its document
 * @returns {Endpoint[]}
 */
export const endpointsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      requestsOf: ({ username, address, token }) =>
        Array.from({ length: VARIETY }, (_, number) =>
          rawRequest(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, String(number)), {
            body: bodyOf(
              path,
              operation.requestBody,
              `${username}-${number}`,
              number % 2 ? username : undefined,
            ),
            address,
            ...(operation.security.length > 0 && { token }),
          }),
        ),
    })),
  )

/**
 * @param {string} path
 * @param {any} requestBody
 * @param {string} unique
 * @param {string} [username]
 */
function bodyOf(path, requestBody, unique, username) {
  if (!requestBody) return undefined
  // Both cost a hash: right passwords, which are not counted as failures, and unknown names, of which more may wait.
  if (path.endsWith('/login')) return { username: username ?? unique, password: PASSWORD }
  // Without a password, the first request would delete the account that the others need.
  if (path.endsWith('/users/me') && !requestBody.required) return { current_password: 'Wrong-Horse-7' }
  const [{ schema }] = Object.values(requestBody.content)
  const { properties, required = Object.keys(properties) } =
    schema.anyOf?.find((/** @type {any} */ { type }) => type === 'object') ?? schema
  const values = required.map((/** @type {string} */ name) => [name, fieldOf(name, properties[name], unique)])
  return Object.fromEntries(values)
}

/** @param {string} name @param {any} property @param {string} unique */
function fieldOf(name, { type, format }, unique) {
  if (format === 'email') return `${unique}@example.com`
  if (name === 'current_password') return 'Wrong-Horse-7'
  if (name.includes('password')) return PASSWORD
  if (type === 'string') return unique
  return type === 'boolean' ? true : 1
}
