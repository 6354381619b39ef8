import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { start, succeed } from '../../support/command.ts'
import { freePort } from '../../support/port.js'

/** The newest version of Verdaccio that runs on Node 20. */
const VERDACCIO = 'verdaccio@~6.2.9'

export interface Registry {
  url: string
  /** Path of an npmrc file with permission to publish. */
  npmrc: string
  stop(): Promise<void>
}

/** Starts a private registry on 127.0.0.1 without an uplink: it serves only packages published to it. */
export async function startRegistry(folder: string): Promise<Registry> {
  mkdirSync(folder)
  // Verdaccio requires a dist-tag of node-fetch that a mirror may lack. This is the version of the tag.
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ overrides: { 'node-fetch': '^2.7.0' } }))
  await succeed('npm', ['install', '--no-audit', '--no-fund', VERDACCIO], { cwd: folder })
  const url = `http://127.0.0.1:${await freePort()}/`
  const config = join(folder, 'config.yaml')
  writeFileSync(config, CONFIG)
  const verdaccio = join(folder, 'node_modules/verdaccio/bin/verdaccio')
  const running = start('node', [verdaccio, '--config', config, '--listen', url], { cwd: folder })
  await running.until(/http address/)

  const npmrc = join(folder, 'publisher.npmrc')
  const token = await addUser(url)
  writeFileSync(npmrc, `registry=${url}\n${url.replace('http:', '')}:_authToken=${token}\n`)
  return {
    url,
    npmrc,
    stop: async () => {
      running.signal('SIGTERM')
      await running.ended
    },
  }
}

const CONFIG = `
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
packages:
  '**':
    access: $all
    publish: $authenticated
log: { type: stdout, format: pretty, level: http }
web:
  enable: false
`

/** Signs up at the registry, as `npm adduser` does. */
async function addUser(url: string): Promise<string> {
  const user = { name: 'publisher', password: 'Correct-Horse-7', email: 'publisher@example.com' }
  const response = await fetch(`${url}-/user/org.couchdb.user:${user.name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  })
  const { token } = (await response.json()) as { token?: string }
  if (!token) throw new Error(`no token from the registry: status ${response.status}`)
  return token
}
