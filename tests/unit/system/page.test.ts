import { describe, expect, it } from 'vitest'
import { page } from '../../../src/system/page.ts'

describe('page', () => {
  it('gives the text to the program that PAGER names', async () => {
    expect(await page('text', { ...process.env, PAGER: 'node -e process.exitCode=0' })).toBe(true)
  })

  it('tells that there is no such program', async () => {
    expect(await page('text', { ...process.env, PAGER: 'no-such-pager -x' })).toBe(false)
  })
})
