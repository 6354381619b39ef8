import { expect, test } from 'vitest'
import { register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'

async function appWithUsers() {
  const app = await createTestApp()
  for (const name of ['alice', 'Bob', 'a_b', 'axb']) await register(app, name)
  const list = async (...options: string[]) => {
    const lines = await runCommand(app, 'list', '--json', ...options)
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).username)
  }
  return { app, list }
}

test('list shows pages of users by id', async () => {
  const { list } = await appWithUsers()
  expect(await list()).toEqual(['alice', 'Bob', 'a_b', 'axb'])
  expect(await list('--limit', '2')).toEqual(['alice', 'Bob'])
  expect(await list('--limit', '2', '--after', '2')).toEqual(['a_b', 'axb'])
  expect(await list('--after', '4')).toEqual([])
})

test('list finds a part of the username or email in any case, and no pattern', async () => {
  const { list } = await appWithUsers()
  expect(await list('--search', 'BOB')).toEqual(['Bob'])
  expect(await list('--search', 'e@EXAMPLE')).toEqual(['alice'])
  expect(await list('--search', 'a_b')).toEqual(['a_b'])
  expect(await list('--search', '%')).toEqual([])
})

test('list prints a table, and the option for the next page', async () => {
  const { app } = await appWithUsers()
  const [head, alice, bob, ...rest] = (await runCommand(app, 'list', '--limit', '2')).split('\n')
  expect(head).toMatch(/^id {2}email {14}username/)
  expect(alice).toMatch(/^1 {3}alice@example\.com {2}alice {5}true/)
  expect(bob).toMatch(/^2 {3}bob@example\.com {4}Bob {7}true/)
  expect(rest).toEqual(['Next page: --after 2'])
  expect(await runCommand(app, 'list', '--after', '4')).toBe('No users.')
})

test('list contains no hash', async () => {
  const { app } = await appWithUsers()
  expect(await runCommand(app, 'list', '--json')).not.toContain('$')
})

test.each([
  [['--limit', 'x'], 1, 'limit: Must be a whole number'],
  [['--limit', '0'], 1, 'limit: Must be a whole number from 1'],
  [['--after', '1e3'], 1, 'after: Must be a whole number from 0'],
  [['--limit', '-1'], 2, 'list [--search <search>]'],
  [['--unknown'], 2, 'list [--search <search>]'],
])('list %j is refused', async (options, exitCode, message) => {
  const { app } = await appWithUsers()
  await expect(runCommand(app, 'list', ...options)).rejects.toMatchObject({
    exitCode,
    message: expect.stringContaining(message),
  })
})
