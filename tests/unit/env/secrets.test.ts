import { describe, expect, it } from 'vitest'
import { envWithSecrets } from '../../../src/env/secrets.ts'

describe('.env', () => {
  it('has a new secret of 256 bits for each placeholder, and is otherwise unchanged', () => {
    const example =
      '# KEY=change-me\nA_KEY=change-me\nPORT=3000\nB2_KEY=change-me-please "x"\nNOTE=do not change-me\n'
    const lines = envWithSecrets(example).split('\n')
    expect(lines[1]).toMatch(/^A_KEY=[A-Za-z0-9_-]{43}$/)
    expect(lines[3]).toMatch(/^B2_KEY=[A-Za-z0-9_-]{43}$/)
    expect(lines[1]?.slice(-43)).not.toBe(lines[3]?.slice(-43))
    expect([lines[0], lines[2], lines[4]]).toEqual(['# KEY=change-me', 'PORT=3000', 'NOTE=do not change-me'])
    expect(envWithSecrets(example)).not.toBe(envWithSecrets(example))
  })

  it('asks the random source for 32 bytes', () => {
    const asked: number[] = []
    const random = (bytes: number) => {
      asked.push(bytes)
      return Buffer.alloc(bytes, 0xff)
    }
    expect(envWithSecrets('K=change-me\n', random)).toBe(`K=${'_'.repeat(42)}8\n`)
    expect(asked).toEqual([32])
  })
})
