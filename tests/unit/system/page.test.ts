import { describe, expect, it } from 'vitest'
import { page } from '../../../src/system/page.ts'

describe('page', () => {
  it('gives the text to the program that PAGER names', async () => {
    expect(await page('text', { ...process.env, PAGER: 'node -e process.exitCode=0' })).toBe(true)
  })

  it.each(['node -e process.exitCode=1', '', 'cat'])(
    'leaves the text to the caller if PAGER is "%s"',
    async (PAGER) => {
      expect(await page('text', { ...process.env, PAGER })).toBe(false)
    },
  )

  it('tells that there is no such program', async () => {
    expect(await page('text', { ...process.env, PAGER: 'no-such-pager -x' })).toBe(false)
  })
})
