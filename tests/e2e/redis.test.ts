import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { createLinked, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { withStandingClock } from './harness/clock.ts'
import { newDatabase } from './harness/database.ts'
import { startInstances } from './harness/instances.ts'
import { newUser, REGISTER } from './suites/accounts.ts'
import { logged } from './suites/complete-worker.ts'
import { redisClusterSuite } from './suites/redis-cluster.ts'

const lastEvent = (log: string) => [...log.matchAll(/"event":"redis\.(up|down)"/g)].at(-1)?.[1]

describe('a project with the add-on redis', () => {
  let project: Report

  beforeAll(async () => {
    // A unique name, because it prefixes the keys in Redis, and other runs may use the same server.
    const name = `my-api-${randomBytes(4).toString('hex')}`
    const answers = ['--mode', 'basic', '--profile', 'B', '--database', 'sqlite', '--add', 'redis', '--yes']
    project = await createLinked(newFolder(), [name, ...answers])
    buildUnchecked(project.directory)
  })

  test('two instances share the count of an address', async (testContext) => {
    const redis = inject('redis')
    if ('missing' in redis) return testContext.skip(redis.missing)
    const settings = { RATE_LIMIT_REGISTER: '10', TRUST_PROXY: '127.0.0.1', REDIS_URL: redis.url }
    const env = { ...(await newDatabase(project)).env, ...settings }
    const both = await startInstances(2, { cwd: project.directory, env, command: withStandingClock() })
    const register = (username: string, address: string) =>
      both.post(REGISTER, newUser(username), { headers: { 'x-forwarded-for': address } })
    const expected = [...Array(10).fill(201), ...Array(10).fill(429)]
    // If Redis does not answer within 250 ms, an instance counts alone until it is connected again.
    // Such an attempt is repeated with another address.
    const isUp = () => both.all.every(({ running }) => lastEvent(running.output()) === 'up')
    const wentDown = (before: number) =>
      vi.waitUntil(() => logged(both.all, 'redis.down') > before, { timeout: 500_000 }).catch(() => false)
    let statuses: number[]
    let before: number
    let round = 0
    do {
      round += 1
      await vi.waitUntil(isUp, { timeout: 500_000 })
      before = logged(both.all, 'redis.down')
      const users = Array.from({ length: 20 }, (_, n) => `many-${round}-${n}`)
      const answers = await Promise.all(users.map((name) => register(name, `192.0.2.${round}`)))
      statuses = answers.map(({ status }) => status).sort()
    } while (String(statuses) !== String(expected) && (await wentDown(before)))
    expect(statuses).toEqual(expected)
    expect((await register('neighbour', '198.51.100.1')).status).toBe(201)
    await both.stop()
  })

  redisClusterSuite(() => project)
})
