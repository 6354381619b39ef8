import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const app = await shareTestApp()

beforeAll(() => {
  const body = z.strictObject({ text: z.string() })
  app.post('/echo', { schema: { body } }, async () => ({ ok: true }))
  app.post('/import', { bodyLimit: 4 * limit, schema: { body } }, async () => ({ ok: true }))
})

const limit = 16 * 1024

/** A JSON body with the given number of bytes. */
const bodyOf = (bytes: number) => JSON.stringify({ text: 'a'.repeat(bytes - '{"text":""}'.length) })

const post = (payload: string | Readable, url = '/echo') =>
  app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json' }, payload })

test('a body of 16 KiB is accepted', async () => {
  expect((await post(bodyOf(limit))).statusCode).toBe(200)
})

test('a body of one byte more is rejected', async () => {
  expectProblem(await post(bodyOf(limit + 1)), 'payload_too_large')
})

test('a route can have a limit of its own', async () => {
  expect((await post(bodyOf(4 * limit), '/import')).statusCode).toBe(200)
  expectProblem(await post(bodyOf(4 * limit + 1), '/import'), 'payload_too_large')
})

test('a body without a declared length has the same limit', async () => {
  expect((await post(Readable.from([bodyOf(limit)]))).statusCode).toBe(200)
  expectProblem(await post(Readable.from([bodyOf(limit + 1)])), 'payload_too_large')
})

test.each([[['a']], [1], [true], [null], [{ toString: 'a' }]])(
  '%j is not converted to text',
  async (text) => {
    expectProblem(await post(JSON.stringify({ text })), 'validation_failed')
  },
)
