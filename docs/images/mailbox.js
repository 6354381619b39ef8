// Takes docs/images/mailbox.png: the mailbox of a new project after a registration, in headless Chromium.
// `npm run pictures` needs tmux and Chromium.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const command = join(import.meta.dirname, '../../bin/create-authsmith.js')
const picture = join(import.meta.dirname, 'mailbox.png')
const folder = mkdtempSync(join(tmpdir(), 'mailbox-'))
const project = join(folder, 'my-api')
const service = 'http://127.0.0.1:3000'

// As root Chromium has no sandbox; the other flags keep it from contacting anyone.
const BROWSER = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
BROWSER.push('--disable-background-networking', '--disable-component-update', '--disable-sync')

execFileSync(process.execPath, [command, project, '--yes', '--no-git'], { stdio: 'inherit' })
const server = spawn(process.execPath, ['--require', 'tsx/cjs', '--import', 'tsx', 'dev/server.ts'], {
  cwd: project,
})
try {
  await ready()
  const user = { email: 'alice@example.com', username: 'alice', password: 'Correct-Horse-1' }
  await post('/api/v1/auth/register', user)
  await post('/api/v1/auth/forgot-password', { email: user.email })
  await sleep(3000)
  const shot = [`--screenshot=${picture}`, '--window-size=960,600', '--virtual-time-budget=5000']
  execFileSync('chromium', [
    ...BROWSER,
    `--user-data-dir=${join(folder, 'browser')}`,
    ...shot,
    `${service}/dev/mailbox`,
  ])
} finally {
  server.kill()
  await once(server, 'exit')
  rmSync(folder, { recursive: true, force: true })
}

async function ready() {
  for (let tries = 0; tries < 100; tries += 1) {
    const isUp = await fetch(`${service}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    await sleep(100)
  }
  throw new Error(`nothing answers at ${service}`)
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${service}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (status >= 300) throw new Error(`POST ${path}: ${status}`)
}
