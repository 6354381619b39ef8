import { readFile } from 'node:fs/promises'
import type { FastifyPluginAsync } from 'fastify'
import { describe, expect, test } from 'vitest'
import home from '../../dev/home/routes.ts'
import { brand } from '../../src/settings/server.ts'
import { createTestApp, shareTestApp } from '../support/app.ts'

const options = { plugins: [home] }
const app = await shareTestApp({}, false, options)
/** You have a route for / that comes first. */
const isYours = app.hasRoute({ method: 'GET', url: '/' })

describe('the home page', () => {
  test('names what runs', async () => {
    const { name: title, facts } = (await app.inject({ url: '/dev/home.json' })).json()
    expect(title).toBe(brand.name)
    const names = facts.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['Mode', 'Database', 'FRONTEND_URL', 'TRUST_PROXY']))
  })

  test('says who may register and log in, in the modes that have the settings', async () => {
    const settings = { REGISTRATION_ENABLED: 'false', LOGIN_REQUIRES_VERIFIED_EMAIL: 'true' }
    const closed = await createTestApp(settings, false, options)
    const { facts } = (await closed.inject({ url: '/dev/home.json' })).json<{ facts: { name: string }[] }>()
    const known = await readFile('.env.example', 'utf8')
    const expected = Object.entries(settings).filter(([name]) => known.includes(`${name}=`))
    expect(facts.filter(({ name }) => name in settings)).toHaveLength(expected.length)
    for (const [name, value] of expected) expect(facts).toContainEqual({ name, value })
  })

  test('links to what the service has', async () => {
    const { links } = (await app.inject({ url: '/dev/home.json' })).json()
    expect(links).toContainEqual({ name: 'API page', path: '/docs' })
    for (const { path } of links) expect((await app.inject({ url: path })).statusCode, path).toBe(200)
  })

  test.skipIf(isYours)('loads only files of the service and runs no inline scripts', async () => {
    const { headers, body } = await app.inject({ url: '/' })
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    )
    expect(headers['cross-origin-opener-policy']).toBe('same-origin')
    expect(body).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style=/)
    for (const [, asset = ''] of body.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (asset === 'data:,') continue
      expect((await app.inject({ url: asset })).statusCode, asset).toBe(200)
    }
  })

  test.skipIf(isYours)('a route of the owner for / comes first', async () => {
    const owners: FastifyPluginAsync = async (instance) => {
      instance.get('/', async () => 'mine')
    }
    const own = await createTestApp({}, false, { plugins: [home, owners] })
    expect((await own.inject({ url: '/' })).body).toBe('mine')
  })

  test('is not in the OpenAPI document', async () => {
    const { paths } = (await app.inject({ url: '/openapi.json' })).json()
    expect(Object.keys(paths).filter((path) => path.startsWith('/dev/'))).toEqual([])
  })
})
