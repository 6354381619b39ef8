import type { FastifyInstance } from 'fastify'

const places = [
  ['API page', '/docs'],
  ['OpenAPI document', '/openapi.json'],
] as const

/** What a browser can open, as far as this service still has it: for the home page and the start in development. */
export const placesOf = (app: FastifyInstance) =>
  places.filter(([, path]) => isServed(app, path)).map(([name, path]) => ({ name, path }))

function isServed(app: FastifyInstance, path: string): boolean {
  return app.hasRoute({ method: 'GET', url: path })
}
