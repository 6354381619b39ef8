import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

test('until the migrations are applied, the service is live, refuses requests and starts no job', async () => {
  let finish = () => {}
  const migrated = new Promise<void>((resolve) => {
    finish = resolve
  })
  const app = await createTestApp({}, false, { migrated })
  const job = new Promise<void>((resolve) => {
    app.addHook('onListen', async () => resolve())
  })
  let hasJob = false
  job.then(() => {
    hasJob = true
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  expect((await app.inject({ url: '/health/live?from=probe' })).statusCode).toBe(200)
  for (const url of ['/health/ready', '/openapi.json', '/nowhere']) {
    const response = await app.inject({ url })
    expectProblem(response, 'unavailable')
    expect(response.headers['retry-after']).toBe('1')
  }
  expect(hasJob).toBe(false)
  finish()
  await job
  expect((await app.inject({ url: '/health/ready' })).statusCode).toBe(200)
})

// Otherwise a browser reports a network error, and the page cannot tell that it may try again.
test('a page of a listed origin can read the 503', async () => {
  const origin = 'https://app.example.com'
  const app = await createTestApp({ CORS_ORIGINS: origin }, false, { migrated: new Promise(() => {}) })
  const response = await app.inject({ url: '/nowhere', headers: { origin } })
  expectProblem(response, 'unavailable')
  expect(response.headers['access-control-allow-origin']).toBe(origin)
})

test('a service that stops while it migrates starts no job afterwards', async () => {
  let finish = () => {}
  const migrated = new Promise<void>((resolve) => {
    finish = resolve
  })
  const app = await createTestApp({}, false, { migrated })
  let jobs = 0
  app.addHook('onListen', async () => {
    jobs += 1
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  await app.close()
  finish()
  await migrated
  expect(jobs).toBe(0)
})
