import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Note } from '../../../db/schema/notes.ts'
import { ApiError } from '../../../errors/api-error.ts'
import { addNote, findNote, listNotes } from '../../../notes/notes.ts'
import { multilineText, text, urlNumber } from '../../../schemas/text.ts'

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
  const { ctx } = app

  app.get(
    '/notes',
    {
      schema: {
        operationId: 'listNotes',
        summary: 'The newest notes, a page at a time',
        description: 'At most 50 notes, newest first.',
        querystring: z.strictObject({
          before: id.optional().meta({ description: 'Id of the last note on the previous page' }),
        }),
        response: { 200: z.object({ notes: z.array(noteResponse) }) },
      },
    },
    async (request) => ({ notes: (await listNotes(ctx, request.query.before)).map(toResponse) }),
  )

  app.get(
    '/notes/:id',
    {
      schema: {
        operationId: 'getNote',
        summary: 'One note',
        description: 'The note with this id.',
        params: z.strictObject({ id }),
        response: { 200: noteResponse },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const note = await findNote(ctx, request.params.id)
      if (!note) throw new ApiError('not_found')
      return toResponse(note)
    },
  )

  app.post(
    '/notes',
    {
      schema: {
        operationId: 'addNote',
        summary: 'Add a note',
        description: 'Anyone can add a note.',
        body: z.strictObject({
          title: text(200)
            .min(1)
            .meta({ examples: ['Hello'] }),
          body: multilineText(4000).meta({ examples: ['My first note'] }),
        }),
        response: { 201: noteResponse },
      },
    },
    async (request, reply) => {
      const note = await addNote(ctx, request.body)
      request.log.info({ event: 'note.added', noteId: note.id }, 'note added')
      return reply.code(201).send(toResponse(note))
    },
  )
}) satisfies FastifyPluginAsyncZod
