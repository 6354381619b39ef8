import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'

const frozen = 'tests/frozen/0.1.0'

// Users filter their mails by subject. A changed one would move them silently, also after an update.
describe.each(['complete-a-sqlite', 'complete-b-sqlite'])('%s', (name) => {
  const files: Record<string, string> = JSON.parse(
    String(brotliDecompressSync(readFileSync(join(frozen, `${name}.json.br`)))),
  )
  const mails = Object.entries(files)
    .filter(([path]) => /^src\/.*\.ts$/.test(path))
    .flatMap(([, source]) => [...source.matchAll(/subject: '([^']+)',\s*template: '([^']+)'/g)])
    .map(([, subject = '', template = '']) => [template, subject] as const)
  const heading = (template: string) => {
    const file = join('examples', name, 'emails', `${template}.html`)
    return existsSync(file) ? /<h1>(.*?)<\/h1>/s.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  }

  test('every mail of version 0.1.0 has the subject that it had then', () => {
    expect(mails.length).toBeGreaterThan(3)
    expect(mails.map(([template]) => [template, heading(template)])).toEqual(mails)
  })
})
