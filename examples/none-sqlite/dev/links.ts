import type { FastifyInstance } from 'fastify'

const links = [
  ['API page', '/docs'],
  ['OpenAPI document', '/openapi.json'],
] as const

/** The links that the home page for development shows and `dev` prints. Only what this service still has. */
export const homeLinks = (app: FastifyInstance) =>
  links.filter(([, path]) => isServed(app, path)).map(([name, path]) => ({ name, path }))

function isServed(app: FastifyInstance, path: string): boolean {
  return app.hasRoute({ method: 'GET', url: path })
}
