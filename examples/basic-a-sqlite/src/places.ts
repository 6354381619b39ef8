import { existsSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const places = [
  ['API page', '/docs'],
  ['OpenAPI document', '/openapi.json'],
  ['Create an account', '/register'],
  ['Log in, and your account', '/account'],
] as const

/** What a browser can open, as far as this service still has it: for the home page and the start in development. */
export const placesOf = (app: FastifyInstance) =>
  places.filter(([, path]) => isServed(app, path)).map(([name, path]) => ({ name, path }))

function isServed(app: FastifyInstance, path: string): boolean {
  if (existsSync(new URL(`../pages${path}.html`, import.meta.url))) return true
  return app.hasRoute({ method: 'GET', url: path })
}
