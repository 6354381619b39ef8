import { rawRequest } from '../measure/connection.js'
import { endpointsOf } from './endpoints.js'

/**
 * What clients of one attacker send at the same time.
 * @typedef {object} Flood
 * @property {string} what
 * @property {string[]} addresses of its clients. The service trusts X-Forwarded-For here
 * @property {number} connections of each client
 * @property {(client: import('./watch.js').Account) => string[]} requestsOf
 */

/** @param {any} openApi @param {string} path */
const requestsTo = (openApi, path) =>
  endpointsOf(openApi).find(({ name }) => name === `POST ${path}`)?.requestsOf

/** The flood that once slowed everyone down; without mails, one of logins. @param {any} openApi */
export function manyConnections(openApi) {
  const [forgot, login] = ['/api/v1/auth/forgot-password', '/api/v1/auth/login']
  const path = requestsTo(openApi, forgot) ? forgot : login
  const requestsOf = requestsTo(openApi, path) ?? (() => [])
  return { what: `POST ${path}, 300 connections`, addresses: ['203.0.113.250'], connections: 300, requestsOf }
}

/**
 * @param {any} openApi
 * @param {number} connections of a client to one endpoint
 * @returns {Flood[]}
 */
export const floodsOf = (openApi, connections) => [
  ...endpointsOf(openApi).map(({ name, requestsOf }, number) => ({
    what: `${name}, ${connections} connections`,
    addresses: [`203.0.113.${number + 1}`],
    connections,
    requestsOf,
  })),
  {
    // Each has a quarter of the places for hashes: a fourth one could fill them until the limits stop it.
    what: 'logins from three /64s of a /56, 30 connections each',
    addresses: [1, 2, 3].map((subnet) => `2001:db8:0:${subnet}::1`),
    connections: 30,
    requestsOf: requestsTo(openApi, '/api/v1/auth/login') ?? (() => []),
  },
  {
    // Their bodies are refused, so that as many as possible are counted.
    what: 'logins, each from a new network',
    addresses: ['203.0.113.251'],
    connections,
    requestsOf: () =>
      Array.from({ length: 60_000 }, (_, number) =>
        rawRequest('POST', '/api/v1/auth/login', { body: {}, address: `2001:db8:${number.toString(16)}::1` }),
      ),
  },
]
