import { Readable } from 'node:stream'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { shareTestApp } from '../app.ts'
import { expectProblem } from '../problem.ts'

const app = await shareTestApp()

beforeAll(() => {
  const body = z.strictObject({ text: z.string() })
  app.post('/echo', { schema: { body } }, async () => ({ ok: true }))
})

const limit = 16 * 1024

/** A JSON body of so many bytes. */
const bodyOf = (bytes: number) => JSON.stringify({ text: 'a'.repeat(bytes - '{"text":""}'.length) })

const post = (payload: string | Readable) =>
  app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'application/json' }, payload })

test('a body of 16 KiB is taken', async () => {
  expect((await post(bodyOf(limit))).statusCode).toBe(200)
})

test('one byte more is refused', async () => {
  expectProblem(await post(bodyOf(limit + 1)), 'payload_too_large')
})

test('a body that does not tell its length is refused at the same point', async () => {
  expect((await post(Readable.from([bodyOf(limit)]))).statusCode).toBe(200)
  expectProblem(await post(Readable.from([bodyOf(limit + 1)])), 'payload_too_large')
})

test.each([[['a']], [1], [true], [null], [{ toString: 'a' }]])('%j is not turned into text', async (text) => {
  expectProblem(await post(JSON.stringify({ text })), 'validation_failed')
})
