/**
 * A JSON schema, as far as the OpenAPI document of a created service uses it.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {boolean | Schema} [additionalProperties]
 * @property {Schema} [items]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [allOf]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {string} [pattern]
 * @property {string} [format]
 * @property {number} [maxLength]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {unknown[]} [examples]
 */

/**
 * An endpoint of the OpenAPI document. All references are resolved.
 * @typedef {object} Operation
 * @property {string} name the method and the path, such as `POST /api/v1/auth/login`
 * @property {string} method
 * @property {string} path
 * @property {boolean} isProtected whether it needs an access token
 * @property {Schema} [body] of an object
 * @property {boolean} needsBody
 * @property {Schema} [params] of the parameters in the path
 * @property {Map<number, Schema | undefined>} responses by status; undefined: no content
 */

/**
 * Reads the endpoints of a service from its OpenAPI document, so that a new route is attacked without further work.
 * @param {import('./service.js').Attacked} service with DOCS_ENABLED
 * @returns {Promise<Operation[]>}
 */
export async function readOperations(service) {
  const { status, body: document } = await service.request('GET', '/openapi.json')
  if (status !== 200) throw new Error(`/openapi.json: ${status}`)
  /** @type {(key: string, value: any) => unknown} */
  const resolve = (_key, value) => {
    if (value?.$ref === undefined) return value
    const [, , kind, name] = value.$ref.split('/')
    return JSON.parse(JSON.stringify(document.components[kind][name]), resolve)
  }
  const paths = JSON.parse(JSON.stringify(document.paths), resolve)
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // HEAD answers like GET, without a body.
      .filter(([method]) => method !== 'head')
      .map(([method, operation]) => readOperation(path, method.toUpperCase(), operation)),
  )
}

/**
 * @param {string} path
 * @param {string} method
 * @param {any} operation
 * @returns {Operation}
 */
function readOperation(path, method, { security, requestBody, parameters = [], responses }) {
  const body = requestBody && contentOf(requestBody)
  const inPath = parameters.filter((/** @type {any} */ parameter) => parameter.in === 'path')
  return {
    name: `${method} ${path}`,
    method,
    path,
    // An empty requirement means that the token is optional.
    isProtected:
      security.length > 0 && security.every((/** @type {object} */ way) => Object.keys(way).length > 0),
    ...(body && { body }),
    needsBody: requestBody?.required === true,
    ...(inPath.length > 0 && { params: objectOf(inPath) }),
    responses: new Map(Object.entries(responses).map(([status, of]) => [Number(status), contentOf(of)])),
  }
}

/** @param {any} of a request body or a response @returns {Schema | undefined} */
const contentOf = ({ content = {} }) => /** @type {any} */ (Object.values(content)[0])?.schema

/** @param {any[]} parameters @returns {Schema} */
const objectOf = (parameters) => ({
  type: 'object',
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, asText(schema)])),
  required: parameters.map(({ name }) => name),
})

/** A path contains only text: the digits of an id. @param {Schema} schema @returns {Schema} */
const asText = (schema) =>
  schema.type === 'integer' ? { type: 'string', pattern: '^[1-9]\\d{0,14}$' } : schema
