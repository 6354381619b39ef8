import { existsSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestApp } from '../support/app.ts'
import { challengeOf, open } from '../support/oidc.ts'
import { settingsOf } from '../support/provider.ts'

const file = new URL('../../pages/provider-flow.js', import.meta.url)

afterEach(() => vi.unstubAllGlobals())

// The file is the owner's: they may have deleted it.
describe.runIf(existsSync(file))('a flow that the pages begin', () => {
  test('keeps its verifier for one way back', async () => {
    const stored = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    })
    const { createChallenge, takeFlow } = await import(file.href)
    const challenge = await createChallenge({ isLink: true })
    const flow = takeFlow()
    expect([challengeOf(flow.verifier), flow.isLink]).toEqual([challenge, true])
    expect([stored.size, takeFlow()]).toEqual([0, {}])
    expect(challengeOf(takeFlow().verifier ?? '')).not.toBe(await createChallenge())
  })

  // Anybody can write the address of the page that leads there.
  test.each([
    ['/', true],
    ['/orders?page=2#last', true],
    ['//evil.example', false],
    ['/\\evil.example', false],
    ['/\t/evil.example', false],
    ['https://evil.example', false],
    ['javascript:alert(1)', false],
    ['orders', false],
    ['', false],
    [`/${'x'.repeat(1024)}`, false],
    [null, false],
  ])('leads back to %j: %s, as the service says', async (path, isAccepted) => {
    const { isPath } = await import(file.href)
    expect(isPath(path)).toBe(isAccepted)
    if (path === null) return
    const app = await createTestApp(settingsOf({ origin: 'http://127.0.0.1:1' }))
    const { statusCode } = await open(app, { code_challenge: challengeOf(''), return_to: path })
    expect(statusCode).toBe(isAccepted ? 302 : 422)
  })
})
