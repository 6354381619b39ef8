import type { FastifyInstance } from 'fastify'
import { examplePassword } from '../src/passwords/rules.ts'
import { homeLinks, originOf } from './links.ts'

/** What to open and to try, when the service has started. */
export function welcome(app: FastifyInstance): string {
  const origin = originOf(app)
  const password = examplePassword(app.config.credentials)
  const body = JSON.stringify({ email: 'alice@example.com', username: 'alice', password })
  const example = `curl ${origin}/api/v1/auth/register -H 'content-type: application/json' -d '${body}'`
  const hasHome = app.hasRoute({ method: 'GET', url: '/dev/home.json' })
  const urls = [...(hasHome ? [{ name: 'Home page', path: '/' }] : []), ...homeLinks(app)].map(
    ({ name, path }) => `  ${name}: ${origin}${path}`,
  )
  return ['', ...urls, `  Try: ${example}`, ''].join('\n')
}
