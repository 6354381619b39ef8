import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Note } from '../../../db/schema/notes.ts'
import { ApiError } from '../../../errors/api-error.ts'
import { createNotes } from '../../../notes/notes.ts'
import { bodyProblems, problemResponses } from '../../../schemas/problem.ts'
import { multilineText, text } from '../../../schemas/text.ts'
import { urlNumber } from '../../../schemas/url.ts'

const noteResponse = z
  .object({ id: z.int(), title: z.string(), body: z.string(), created_at: z.iso.datetime() })
  .meta({
    id: 'Note',
    examples: [{ id: 1, title: 'Hello', body: 'My first note', created_at: '2026-01-01T12:00:00.000Z' }],
  })

const toResponse = (note: Note): z.output<typeof noteResponse> => ({
  id: note.id,
  title: note.title,
  body: note.body,
  created_at: note.createdAt.toISOString(),
})

const id = urlNumber()

/** The example resource. Replace it with your own: each file in this folder is one resource, served at its path. */
export default (async (app) => {
  const { config, db, now } = app
  const notes = createNotes(db, now)
  // The route has no authentication. Without a limit, one client could fill the database.
  const limit = app.addressLimit('notes', config.rateLimits.notes)

  app.get(
    '/notes',
    {
      schema: {
        tags: ['notes'],
        operationId: 'listNotes',
        summary: 'The newest notes, a page at a time',
        description: 'At most 50 notes, newest first.',
        querystring: z.strictObject({
          before: id.optional().meta({ description: 'Id of the last note on the previous page' }),
        }),
        response: {
          200: z.object({ notes: z.array(noteResponse) }),
          ...problemResponses('validation_failed'),
        },
      },
    },
    async (request) => ({ notes: (await notes.list(request.query.before)).map(toResponse) }),
  )

  app.get(
    '/notes/:id',
    {
      schema: {
        tags: ['notes'],
        operationId: 'getNote',
        summary: 'One note',
        description: 'The note with this id.',
        params: z.strictObject({ id }),
        response: { 200: noteResponse, ...problemResponses('not_found', 'validation_failed') },
      },
    },
    async (request) => {
      const note = await notes.find(request.params.id)
      if (!note) throw new ApiError('not_found')
      return toResponse(note)
    },
  )

  app.post(
    '/notes',
    {
      schema: {
        tags: ['notes'],
        operationId: 'addNote',
        summary: 'Add a note',
        description: 'Anyone can add a note.',
        body: z.strictObject({
          title: text(200)
            .min(1)
            .meta({ examples: ['Hello'] }),
          body: multilineText(4000).meta({ examples: ['My first note'] }),
        }),
        response: {
          201: noteResponse,
          ...problemResponses(...bodyProblems, 'too_many_requests'),
        },
      },
    },
    async (request, reply) => {
      await limit.take(request.ip)
      const note = await notes.add(request.body)
      request.log.info({ event: 'note.added', noteId: note.id }, 'note added')
      return reply.code(201).send(toResponse(note))
    },
  )
}) satisfies FastifyPluginAsyncZod
