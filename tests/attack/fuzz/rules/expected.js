import { isDeepStrictEqual } from 'node:util'

/** @typedef {import('../model.js').Model} Model */
/** @typedef {import('../model.js').User} User */
/** @typedef {import('../model.js').Session} Session */
/** @typedef {import('../../service.js').Answer} Answer */

/**
 * The answer that the model expects. `apply` checks the body and brings the model up to date.
 * @typedef {{ status: number, code?: string, apply?: (body: any) => void }} Expected
 */

/**
 * A request that has passed the guard and the schema.
 * @typedef {object} Call
 * @property {any} body
 * @property {Record<string, string>} params
 * @property {Session | undefined} caller
 */

/**
 * What an endpoint answers. Several answers: the model does not decide between them.
 * @typedef {(model: Model, call: Call) => Expected | Expected[]} Rule
 */

/** @param {number} status @param {string} code @returns {Expected} */
export const refused = (status, code) => ({ status, code })

export const invalid = { status: 422 }
export const noToken = refused(401, 'not_authenticated')
export const badToken = refused(401, 'invalid_token')
export const badCredentials = refused(401, 'invalid_credentials')
export const badMailedToken = refused(400, 'invalid_or_expired_token')

/** @param {unknown} actual @param {unknown} wanted @throws Error if they differ */
export function same(actual, wanted) {
  if (!isDeepStrictEqual(actual, wanted))
    throw new Error(`the model expects ${JSON.stringify(wanted)} instead of ${JSON.stringify(actual)}`)
}
