import { expect, test } from 'vitest'
import home from '../../dev/home/routes.ts'
import { welcome } from '../../dev/welcome.ts'
import { createTestApp } from '../support/app.ts'

test.each([
  '8',
  // Mode none has no passwords.
  '64',
])(
  'the start shows what to open and what to try, with the real port, PASSWORD_MIN_LENGTH=%s',
  async (minLength) => {
    const app = await createTestApp({ PASSWORD_MIN_LENGTH: minLength }, false, { plugins: [home] })
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
    const text = welcome(app)
    expect(text).toContain(`  Home page: http://localhost:${port}/\n`)
    expect(text).toContain(`  API page: http://localhost:${port}/docs\n`)
    for (const [url] of text.matchAll(/(?<=^ {2}[^:]+: )http\S+$/gm))
      expect((await app.inject(new URL(url).pathname)).statusCode, url).toBe(200)

    // What to try works as shown.
    const [, url = '', body] =
      /Try: curl (\S+) -H 'content-type: application\/json' -d '(.*)'/.exec(text) ?? []
    const headers = { 'content-type': 'application/json' }
    const response = await app.inject({ method: 'POST', url: new URL(url).pathname, headers, body })
    expect(response.statusCode).toBe(201)
  },
)
