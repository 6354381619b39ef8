import type { FastifyInstance } from 'fastify'
import { homeLinks, originOf } from './links.ts'

/** What to open and to try, when the service has started. */
export function welcome(app: FastifyInstance): string {
  const origin = originOf(app)
  const body = JSON.stringify({ title: 'Milk', body: 'Two liters' })
  const example = `curl ${origin}/api/v1/notes -H 'content-type: application/json' -d '${body}'`
  const hasHome = app.hasRoute({ method: 'GET', url: '/dev/home.json' })
  const urls = [...(hasHome ? [{ name: 'Home page', path: '/' }] : []), ...homeLinks(app)].map(
    ({ name, path }) => `  ${name}: ${origin}${path}`,
  )
  return ['', ...urls, `  Try: ${example}`, ''].join('\n')
}
