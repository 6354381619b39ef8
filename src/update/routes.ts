import { dirname } from 'node:path/posix'
import type { Files } from '../system/file-system.ts'
import type { UpdateFile } from './file.ts'

const FOLDER = 'src/routes/'

/** What a route is added to: the app, or the result of the call before, such as another route. */
const ON = String.raw`(?:\b(?:app|fastify|server|instance)|\))\s*\.\s*`
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** A route whose URL is written out: `app.get('/users'`, also after another one: `).post('/users'`. */
const ROUTE = new RegExp(
  `${ON}(get|post|put|patch|delete|all)(?:<[^()]*>)?\\(\\s*(['"\`])(\\/[^'"\`$]*|)\\2`,
  'g',
)

/** The start of `app.route({ method: 'GET', url: '/users'`. */
const OPTIONS = new RegExp(`${ON}route(?:<[^()]*>)?\\(\\s*\\{`, 'g')
const METHOD = /\bmethod\s*:\s*(\[[^\]]*\]|'\w+'|"\w+"|`\w+`)/
const ROUTE_URL = /\b(?:url|path)\s*:\s*(['"`])(\/[^'"`$]*|)\1/

/**
 * The owner's routes at the URL of a generated one: the service does not start with both.
 * @param code the owner's files, by path
 * @param files those of the update
 */
export function routeNotes(code: Files, files: readonly UpdateFile[]): string[] {
  const generated = new Map(
    files.flatMap(({ path, disk, next, decision }) =>
      next === undefined || (disk.kind === 'absent' && decision.text === undefined)
        ? []
        : routesIn(path, next).map((route) => [route, path]),
    ),
  )
  const known = new Set(files.filter(({ decision }) => decision.action !== 'yours').map(({ path }) => path))
  return [...code].flatMap(([path, text]) =>
    known.has(path)
      ? []
      : routesIn(path, text)
          .filter((route) => generated.has(route))
          .map(
            (route) =>
              `${path}: ${route} is generated in ${generated.get(route)} now; the service does not start with both`,
          ),
  )
}

/** The routes of a file, such as `GET /users/:`, below the URL of its folder. */
function routesIn(path: string, text: string): string[] {
  if (!path.startsWith(FOLDER)) return []
  const prefix = `${dirname(path)}/`.slice(FOLDER.length - 1, -1)
  const short = [...text.matchAll(ROUTE)].flatMap(([, method = '', , url = '']) =>
    (method === 'all' ? METHODS : [method]).map((each) => [each, url]),
  )
  // A route's options end before the next route.
  const long = text
    .split(OPTIONS)
    .slice(1)
    .flatMap((options) => {
      const [, methods = ''] = METHOD.exec(options) ?? []
      const [, , url] = ROUTE_URL.exec(options) ?? []
      return url === undefined ? [] : (methods.match(/\w+/g) ?? []).map((method) => [method, url])
    })
  return [...short, ...long].map(
    ([method = '', url = '']) => `${method.toUpperCase()} ${`${prefix}${url}`.replace(/:\w+/g, ':')}`,
  )
}
