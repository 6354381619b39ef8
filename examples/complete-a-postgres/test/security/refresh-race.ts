import { expect } from 'vitest'
import { getMe } from '../accounts.ts'
import type { TestApp } from '../app.ts'
import { refresh, startSession, type Tokens, tokensIn } from '../flows.ts'

/**
 * Refreshes 30 sessions of alice, ten times each and all at once, and ends them in the middle of it.
 * @returns what ended them resolved to, after all tokens were found dead
 */
export async function expectAllEnded<Result>(app: TestApp, endAll: () => Promise<Result>) {
  const sessions: Tokens[] = []
  for (let time = 0; time < 30; time += 1) sessions.push(await startSession(app))
  let answers = 0
  let ended: Promise<Result> | undefined
  const chains = await Promise.all(
    sessions.map((session) =>
      keepRefreshing(app, session, () => {
        answers += 1
        if (answers === 100) ended = endAll()
      }),
    ),
  )
  const result = await ended

  expect(answers).toBeGreaterThan(100)
  expect(answers).toBeLessThan(300)
  for (const { accessToken } of chains.flat()) expect((await getMe(app, accessToken)).statusCode).toBe(401)
  for (const chain of chains)
    expect((await refresh(app, chain.at(-1)?.refreshToken ?? '')).statusCode).toBe(401)
  return result
}

/** Refreshes a session ten times in a row, or until it is refused. @returns all tokens of it */
async function keepRefreshing(app: TestApp, first: Tokens, onAnswer: () => void): Promise<Tokens[]> {
  const tokens = [first]
  for (let time = 0; time < 10; time += 1) {
    const response = await refresh(app, tokens.at(-1)?.refreshToken ?? '')
    onAnswer()
    if (response.statusCode !== 200) break
    tokens.push(tokensIn(response))
  }
  return tokens
}
