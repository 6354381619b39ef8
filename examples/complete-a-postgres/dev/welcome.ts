import type { FastifyInstance } from 'fastify'
import { placesOf } from '../src/places.ts'
import { originOf } from './origin.ts'

const user = '{"email":"alice@example.com","username":"alice","password":"Correct-Horse-7"}'

const example = (origin: string) =>
  `curl ${origin}/api/v1/auth/register -H 'content-type: application/json' -d '${user}'`

/** What to open and to try, when the service has started. */
export function welcome(app: FastifyInstance): string {
  const origin = originOf(app)
  const hasHome = app.hasRoute({ method: 'GET', url: '/dev/home.json' })
  const urls = [...(hasHome ? [{ name: 'Home page', path: '/' }] : []), ...placesOf(app)].map(
    ({ name, path }) => `  ${name}: ${origin}${path}`,
  )
  return ['', ...urls, `  Try: ${example(origin)}`, ''].join('\n')
}
