import { expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'

/** The document at /openapi.json: complete, with examples and every error response. */
export function openapiSuite(
  service: () => Client,
  paths: Record<string, string[]>,
  addOnPaths: () => Record<string, string[]> = () => ({}),
): void {
  test('/openapi.json describes every endpoint', async () => {
    const { status, body } = await service().get('/openapi.json')
    expect(status).toBe(200)
    expect(body.openapi).toMatch(/^3\.1\./)
    const described = Object.entries(body.paths as Record<string, object>).map(([path, operations]) => [
      path,
      Object.keys(operations).sort(),
    ])
    expect(Object.fromEntries(described)).toEqual({ ...paths, ...addOnPaths() })
  })

  test('each operation under /api/v1 has a summary, a success response, and errors as problem details', async () => {
    const { body } = await service().get('/openapi.json')
    for (const [path, operations] of Object.entries(
      body.paths as Record<string, Record<string, Operation>>,
    )) {
      if (!path.startsWith('/api/v1/')) continue
      for (const [method, { summary, requestBody, responses }] of Object.entries(operations)) {
        const what = `${method} ${path}`
        expect.soft(summary, what).toEqual(expect.any(String))
        const statuses = Object.keys(responses)
        expect
          .soft(
            statuses.some((status) => /^[23]/.test(status)),
            what,
          )
          .toBe(true)
        expect.soft(statuses, what).toContain('503')
        // Routes of OAuth ignore fields that they do not know, and have errors of their own (RFC 6749).
        const isOauth = FORM in (requestBody?.content ?? {})
        const ofBody = ['400', '413', '415', ...(isOauth ? [] : ['422'])]
        if (requestBody) expect.soft(statuses, what).toEqual(expect.arrayContaining(ofBody))
        for (const [status, response] of Object.entries(responses)) {
          const types = ['application/problem+json', ...(isOauth ? ['application/json'] : [])]
          if (status >= '400')
            expect
              .soft(types, `${what} ${status}`)
              .toEqual(expect.arrayContaining(Object.keys(response.content ?? {})))
        }
      }
    }
    expect(JSON.stringify(body)).toContain('"examples"')
  })
}

const FORM = 'application/x-www-form-urlencoded'

interface Operation {
  summary?: string
  requestBody?: { content: object }
  responses: Record<string, { content?: object }>
}
