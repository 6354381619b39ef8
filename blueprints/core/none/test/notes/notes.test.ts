import { expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const add = (app: TestApp, note: object) => app.inject({ method: 'POST', url: '/api/v1/notes', body: note })

test('an added note can be read', async () => {
  const app = await createTestApp()
  const added = await add(app, { title: 'Hello', body: 'My first note' })
  expect(added.statusCode).toBe(201)
  expect(added.json()).toEqual({
    id: 1,
    title: 'Hello',
    body: 'My first note',
    created_at: new Date(app.clock.now()).toISOString(),
  })
  const read = await app.inject({ url: '/api/v1/notes/1' })
  expect(read.statusCode).toBe(200)
  expect(read.json()).toEqual(added.json())
})

test('an unknown id returns not_found', async () => {
  const app = await createTestApp()
  expectProblem(await app.inject({ url: '/api/v1/notes/1' }), 'not_found')
})

test.each(['0', '-1', '1.5', '1e3', '01', 'abc', '9007199254740993', '1%20OR%201=1'])(
  '%s is not a valid id',
  async (id) => {
    const app = await createTestApp()
    expectProblem(await app.inject({ url: `/api/v1/notes/${id}` }), 'validation_failed')
    expectProblem(await app.inject({ url: `/api/v1/notes?before=${id}` }), 'validation_failed')
  },
)

test('notes are listed newest first, 50 per page', async () => {
  const app = await createTestApp()
  for (let number = 1; number <= 52; number += 1) await add(app, { title: `Note ${number}`, body: '' })
  const list = async (query: string) =>
    (await app.inject({ url: `/api/v1/notes${query}` }))
      .json<{ notes: { id: number; title: string }[] }>()
      .notes.map(({ title }) => title)
  const first = await list('')
  expect(first).toHaveLength(50)
  expect([first[0], first[49]]).toEqual(['Note 52', 'Note 3'])
  expect(await list('?before=3')).toEqual(['Note 2', 'Note 1'])
})

test.each([
  ['title', 'too_small', { title: '', body: '' }],
  ['title', 'too_big', { title: 'a'.repeat(201), body: '' }],
  ['body', 'too_big', { title: 'a', body: 'a'.repeat(4001) }],
  ['body', 'invalid_type', { title: 'a' }],
  ['', 'unknown_field', { title: 'a', body: '', id: 7 }],
])('a note with an invalid field is rejected: %j %s', async (field, code, note) => {
  const app = await createTestApp()
  const { errors } = expectProblem(await add(app, note), 'validation_failed')
  expect(errors).toEqual([{ field, code, message: expect.any(String) }])
})

test('text that looks like SQL is stored as text', async () => {
  const app = await createTestApp()
  const title = `'); DROP TABLE notes; --`
  await add(app, { title, body: title })
  expect((await app.inject({ url: '/api/v1/notes/1' })).json()).toMatchObject({ title, body: title })
})
