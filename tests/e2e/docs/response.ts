import { expect } from 'vitest'

/** The response in an http block. */
export interface Response {
  status: number
  /** The body as text, empty without a body. */
  body: string
}

/** Parses `HTTP/1.1 201 Created`, headers, an empty line and the body. @throws Error for any other text */
export function parseResponse(text: string): Response {
  const [head = '', ...body] = text.replaceAll('\r', '').split('\n\n')
  const status = /^HTTP\/[\d.]+ (\d{3})/.exec(head)?.[1]
  if (status === undefined) throw new Error(`not a response: ${head}`)
  return { status: Number(status), body: body.join('\n\n').trim() }
}

/** Compares a response with the one on a page. Ids, times and tokens match by format, everything else exactly. */
export function expectResponse(actual: Response, shown: Response, place: string): void {
  expect(actual.status, `${place}: ${actual.body}`).toBe(shown.status)
  if (shown.body === '') expect(actual.body, place).toBe('')
  else expect(JSON.parse(actual.body), place).toEqual(shapeOf(JSON.parse(shown.body)))
}

const SHAPES = [
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
  /^curl\/[\d.]+$/,
]

function shapeOf(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((element) => shapeOf(element))
    return value.at(-1) === '…' ? expect.arrayContaining(elements.slice(0, -1)) : elements
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member, name)]))
  if (key === 'id') return expect.any(Number)
  if (typeof value !== 'string') return value
  const shape = SHAPES.find((pattern) => pattern.test(value))
  if (shape) return expect.stringMatching(shape)
  return value.includes('…') ? expect.stringMatching(patternOf(value)) : value
}

/** A pattern in which `…` stands for any text, such as `eyJ…`. */
const patternOf = (text: string) =>
  new RegExp(
    `^${text
      .split('…')
      .map((part) => part.replace(/[^\w]/g, '\\$&'))
      .join('.+')}$`,
  )
