import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cpuOf } from './compare.js'
import { median } from './figures.js'
import { CORE, createService, start } from './service.js'

const blueprints = join(import.meta.dirname, '../../blueprints/add-ons')
const EVERY_ADD_ON = readdirSync(blueprints).filter((name) => name !== '_shared')

/** A bare Fastify that loads as many files of routes. */
const BARE = `
import { join } from 'node:path'
import autoload from '@fastify/autoload'
import Fastify from 'fastify'
const app = Fastify()
await app.register(autoload, { dir: join(import.meta.dirname, 'routes'), forceESM: true })
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
`

/** @typedef {{ name: string, folder: string, goal?: string }} Started */

/**
 * Starts services until they are ready: without add-ons, with all of them but no setting for any, and a bare Fastify.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @throws Error if this is not Linux
 * @returns {Promise<import('./command.js').Figure[]>} processor time as ratios to the bare Fastify, and memory a second later
 */
export async function measureStart(scratch, rounds) {
  if (!existsSync('/proc/self/status'))
    throw new Error('Only Linux says what a start takes. Leave out start.')
  const all = createService(scratch, 'sqlite', EVERY_ADD_ON.join(','))
  /** @type {Started[]} */
  const programs = [
    { name: 'a bare Fastify', folder: createBare(scratch, all) },
    { name: 'a service without add-ons', folder: createService(scratch, 'sqlite') },
    { name: `a service with ${EVERY_ADD_ON.length} add-ons`, folder: all, goal: 'at most 1.50 and 90 MB' },
  ]
  const samples = programs.map(() => /** @type {{ cpu: number, memory: number }[]} */ ([]))
  for (let round = 0; round < rounds; round += 1)
    for (const [number, { folder }] of programs.entries()) samples[number]?.push(await startOnce(folder))
  return programs.map(({ name, goal }, number) => {
    const own = samples[number] ?? []
    const ratios = own.map(({ cpu }, round) => cpu / (samples[0]?.[round]?.cpu ?? Number.NaN))
    const cpu = `${median(own.map((sample) => sample.cpu)).toFixed(0)} ms of processor time`
    const range = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`
    const memory = `${median(own.map((sample) => sample.memory)).toFixed(0)} MB`
    const value = `${median(ratios).toFixed(2)} (${range}), ${cpu}, ${memory}`
    return { what: `start of ${name}, median of ${rounds}`, value, ...(goal && { goal }) }
  })
}

/**
 * @param {string} scratch
 * @param {string} service a built one, whose packages it uses
 */
function createBare(scratch, service) {
  const folder = join(scratch, 'bare')
  mkdirSync(join(folder, 'dist/routes'), { recursive: true })
  symlinkSync(join(service, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'dist/server.js'), BARE)
  const routes = readdirSync(join(service, 'dist/routes'), { recursive: true }).filter((path) =>
    String(path).endsWith('.js'),
  )
  for (const [number] of routes.entries()) {
    const path = number === 0 ? '/health/ready' : `/route-${number}`
    const text = `export default async (app) => app.get('${path}', async () => ({ hello: 'world' }))\n`
    writeFileSync(join(folder, `dist/routes/route-${number}.js`), text)
  }
  return folder
}

/** @param {string} folder */
async function startOnce(folder) {
  const { child } = await start(folder, 'dist/server.js', {}, CORE)
  const cpu = cpuOf(child.pid) / 1_000
  await delay(1_000)
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  child.kill()
  return { cpu, memory: Number(kilobytes) / 1_024 }
}
