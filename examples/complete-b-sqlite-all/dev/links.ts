import { existsSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

const links = [
  ['API page', '/docs'],
  ['OpenAPI document', '/openapi.json'],
  ['Create an account', '/register'],
  ['Log in, and your account', '/account'],
  ['Confirm an email address', '/verify-email'],
  ['Reset a password', '/reset-password'],
  ['Mailbox', '/dev/mailbox'],
] as const

/** The links that the home page for development shows and `dev` prints. Only what this service still has. */
export const homeLinks = (app: FastifyInstance) =>
  links.filter(([, path]) => isServed(app, path)).map(([name, path]) => ({ name, path }))

function isServed(app: FastifyInstance, path: string): boolean {
  if (existsSync(new URL(`../pages${path}.html`, import.meta.url))) return true
  return app.hasRoute({ method: 'GET', url: path })
}
