import { describe, expect, it } from 'vitest'
import { diffOf } from '../../../src/cli/diff.ts'

const state = (text: string) => ({ bytes: Buffer.from(text), mode: 0o600 })

describe('the diff of a .env', () => {
  // Its output may be logged (CWE-532).
  it.each([
    ['', '\n'],
    [' with Windows line ends', '\r\n'],
  ])('shows no value%s', (_, end) => {
    const lines = [
      '# Port of the service',
      '',
      'A=secret',
      'export B="secret',
      'secret"',
      '#C=secret',
      '## D=secret',
      '# old: E=secret',
    ]
    const after = state([...lines, ''].join(end))
    const diff = diffOf({ path: '.env', before: null, after })
    expect(diff).not.toContain('secret')
    expect(diff).toContain('+A=…')
    expect(diff).toContain('+# Port of the service')
  })
})
