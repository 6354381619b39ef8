import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/port.js'
import { findProgram } from '../support/programs.js'
import { replaceEach } from '../support/replace.js'
import { compare } from './compare.js'
import { repeat } from './load.js'
import { createService, isReady, spawnHere, startWithUser } from './service.js'

/**
 * Sends requests through nginx, with the configuration of docs/gateway.md, which asks the service about each of them.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first asks for the current user
 * @throws Error if nginx is not installed
 */
export function measureGateway(scratch, rounds) {
  if (!findProgram('nginx')) throw new Error('nginx is missing. Install nginx-light, or leave out gateway.')
  const project = createService(scratch, 'sqlite', 'gateway')
  const page = readFileSync(join(project, 'docs/gateway.md'), 'utf8')
  const [, configuration = ''] = /`nginx\.conf`\n\n```nginx\n(.*?)```/s.exec(page) ?? []
  const programs = [{ path: 'users/me' }, { path: 'auth/check', goal: 2 }].map(({ path, ...goal }) => ({
    name: path,
    ...goal,
    start: async () => {
      const service = await startWithUser(project, { RATE_LIMIT_ENABLED: 'false' })
      const [url, app] = [new URL(`http://127.0.0.1:${await freePort()}/`), await freePort()]
      const folder = mkdtempSync(join(scratch, 'nginx-'))
      const hello = `server { listen 127.0.0.1:${app}; return 200 hello; }`
      const text = replaceEach(configuration, [
        ['http {', `http { access_log off; keepalive_requests 1000000; ${hello}`],
        ['server 127.0.0.1:3000;', `server ${new URL(service.request.url).host};`],
        ['127.0.0.1:4000', `127.0.0.1:${app}`],
        ['127.0.0.1:8080', url.host],
        ['/api/v1/auth/check', `/api/v1/${path}`],
      ])
      writeFileSync(join(folder, 'nginx.conf'), text)
      const options = ['-p', folder, '-c', 'nginx.conf', '-g', 'daemon off; pid nginx.pid; error_log stderr;']
      const nginx = spawnHere('nginx', options, { stdio: 'inherit' })
      const { headers } = service.request
      await isReady(nginx, url.href, headers)
      const request = { url: url.href, headers }
      return { children: [...service.children, nginx], connect: () => repeat(request, 'hello') }
    },
  }))
  return compare(programs, rounds)
}
