import type { FastifyInstance } from 'fastify'

interface HomeLink {
  name: string
  path: string
}

const links: HomeLink[] = [
  { name: 'API page', path: '/docs' },
  { name: 'OpenAPI document', path: '/openapi.json' },
  { name: 'Mailbox', path: '/dev/mailbox' },
]

/** Those of routes, by app. */
const ofRoutes = new WeakMap<FastifyInstance, HomeLink[]>()

/** Collects the links of all routes that the app gets from now on. */
export function collectLinks(app: FastifyInstance): void {
  const found: HomeLink[] = []
  ofRoutes.set(app, found)
  app.addHook('onRoute', ({ method, config }) => {
    if (method === 'GET') found.push(...(config?.links ?? []))
  })
}

/** The links that the home page for development shows and `dev` prints. Only what this service has. */
export const homeLinks = (app: FastifyInstance): HomeLink[] => [
  ...links.filter(({ path }) => app.hasRoute({ method: 'GET', url: path })),
  ...(ofRoutes.get(app) ?? []),
]

/** The URL of the service for a browser on this machine, with the port that it listens on. */
export function originOf(app: FastifyInstance): string {
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : app.config.server.port
  return `http://localhost:${port}`
}
