import { expect } from 'vitest'
import { getMe } from './accounts.ts'
import type { TestApp } from './app.ts'
import { refresh, startSession, type Tokens, tokensIn } from './flows.ts'

/**
 * Refreshes 30 sessions of alice repeatedly and concurrently until each is refused, and ends them meanwhile.
 * @param endAll ends the sessions
 * @returns the result of `endAll`, after all tokens were refused
 */
export async function expectAllEnded<Result>(app: TestApp, endAll: () => Promise<Result>) {
  const sessions: Tokens[] = []
  for (let time = 0; time < 30; time += 1) sessions.push(await startSession(app))
  let answers = 0
  let isEnded = false
  let ended: Promise<Result> | undefined
  const onAnswer = () => {
    answers += 1
    if (answers === 100)
      ended = endAll().finally(() => {
        isEnded = true
      })
  }
  const chains = await Promise.all(
    sessions.map((session) => keepRefreshing(app, session, onAnswer, () => isEnded)),
  )
  const result = await ended

  expect(answers).toBeGreaterThan(100)
  for (const { accessToken } of chains.flat()) expect((await getMe(app, accessToken)).statusCode).toBe(401)
  for (const chain of chains)
    expect((await refresh(app, chain.at(-1)?.refreshToken ?? '')).statusCode).toBe(401)
  return result
}

/** Refreshes a session until it is refused. @returns all its tokens */
async function keepRefreshing(
  app: TestApp,
  first: Tokens,
  onAnswer: () => void,
  isEnded: () => boolean,
): Promise<Tokens[]> {
  const tokens = [first]
  for (;;) {
    const mustFail = isEnded()
    const response = await refresh(app, tokens.at(-1)?.refreshToken ?? '')
    onAnswer()
    if (response.statusCode !== 200) return tokens
    expect(mustFail, 'a refresh succeeded after the sessions had ended').toBe(false)
    tokens.push(tokensIn(response))
  }
}
