import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../support/port.js'
import { findProgram } from '../support/programs.js'
import { replaceEach } from '../support/replace.js'
import { compare } from './compare.js'
import { CORE, createService, currentUser, isReady, registered, start } from './service.js'

const USER = 'alice'

/**
 * Sends requests through nginx, with the configuration of docs/gateway.md, which asks the service about each of them.
 * @param {string} scratch an existing folder
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first asks for the current user
 * @throws Error if nginx is not installed
 */
export async function measureGateway(scratch, load, rounds) {
  if (!findProgram('nginx')) throw new Error('nginx is missing. Install nginx-light, or leave out gateway.')
  const project = createService(scratch, 'sqlite', 'gateway')
  const page = readFileSync(join(project, 'docs/gateway.md'), 'utf8')
  const [, configuration = ''] = /`nginx\.conf`\n\n```nginx\n(.*?)```/s.exec(page) ?? []
  const service = await start(project, 'dist/server.js', { RATE_LIMIT_ENABLED: 'false' }, CORE)
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = [service.child]
  try {
    await registered(service.url, USER)
    const { headers } = await currentUser(service.url, USER)
    const programs = []
    for (const { path, ...goal } of [{ path: 'users/me' }, { path: 'auth/check', goal: 2 }]) {
      const [port, app] = [await freePort(), await freePort()]
      const folder = mkdtempSync(join(scratch, 'nginx-'))
      const hello = `server { listen 127.0.0.1:${app}; keepalive_requests 1000000; return 200 hello; }`
      const text = replaceEach(configuration, [
        ['http {', `http { access_log off; ${hello}`],
        ['server 127.0.0.1:3000;', `server ${new URL(service.url).host};`],
        ['127.0.0.1:4000', `127.0.0.1:${app}`],
        ['127.0.0.1:8080', `127.0.0.1:${port}`],
        ['/api/v1/auth/check', `/api/v1/${path}`],
      ])
      writeFileSync(join(folder, 'nginx.conf'), text)
      const url = `http://127.0.0.1:${port}/`
      const options = ['-p', folder, '-c', 'nginx.conf', '-g', 'daemon off; pid nginx.pid; error_log stderr;']
      const nginx = spawn('nginx', options, { stdio: 'inherit' })
      children.push(nginx)
      await isReady(nginx, url, headers)
      programs.push({ name: path, pid: service.child.pid, request: { url, headers }, mark: 'hello', ...goal })
    }
    return await compare(programs, load, rounds)
  } finally {
    for (const child of children) child.kill()
  }
}
