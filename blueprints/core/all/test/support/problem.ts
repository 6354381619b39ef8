import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { type ProblemName, problems } from '../../src/errors/api-error.ts'

/** Checks that a response is the given problem of src/errors/. @returns its body */
export function expectProblem(response: LightMyRequestResponse, name: ProblemName) {
  const problem: { status: number; title?: string; code?: string } = problems[name]
  const code = problem.code ?? name
  const body = response.json()
  expect(body).toEqual({
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title: problem.title ?? body.errors[0].message,
    status: problem.status,
    detail: body.title,
    code,
    instance: expect.stringMatching(/^[^?]*$/),
    request_id: response.headers['x-request-id'],
    ...(problem.status === 422 && { errors: expect.any(Array) }),
  })
  expect(response.statusCode).toBe(problem.status)
  expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  return body
}
