import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'

/**
 * Layers from top to bottom. A folder imports only from lines below it, so that a change affects only the lines above.
 * Folders that are not listed (routes, plugins, jobs, commands, your own) are at the top and may import anything.
 */
const layers = [
  ['accounts'],
  ['access'],
  ['email-tokens', 'mail', 'passwords', 'sessions'],
  ['limits', 'users'],
  ['db'],
  ['keys'],
  // At the bottom: the configuration and the errors of the API.
  ['config'],
  ['errors', 'settings'],
]

const src = new URL('../src/', import.meta.url)
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(new URL(path, src), 'utf8') }))

/** Paths of the files whose text matches `pattern`, without paths that match `except`. */
const filesWith = (pattern: RegExp, except: RegExp) =>
  sources.filter(({ path, text }) => !except.test(path) && pattern.test(text)).map(({ path }) => path)

/** `db/database.ts` belongs to `db`, `config.ts` to `config`. */
const nameOf = (path: string) => path.split('/')[0]?.replace(/\.ts$/, '') ?? ''
const lineOf = (name: string) => layers.findIndex((names) => names.includes(name))

test('each folder imports only from the lines below it', () => {
  const upward = sources.flatMap(({ path, text }) => {
    const from = nameOf(path)
    if (lineOf(from) === -1) return []
    return [...text.matchAll(/(?:from |import |import\()'(\.[^']*)'/g)]
      .map(([, target = '']) => posix.join(posix.dirname(path), target))
      .filter((target) => nameOf(target) !== from && lineOf(nameOf(target)) <= lineOf(from))
      .map((target) => `src/${path} imports src/${target}, which is not below ${from}`)
  })
  expect(upward).toEqual([])
})

test('routes and plugins contain no queries: they do not import Drizzle', () => {
  expect(filesWith(/'drizzle-orm/, /^(?!routes\/|plugins\/)/)).toEqual([])
})

test('only server.ts and commands/ read the environment, through environment.ts', () => {
  expect(filesWith(/process\.env\b|loadEnvFile/, /^(server|environment)\.ts$|^commands\//)).toEqual([])
  expect(filesWith(/\breadConfig\b/, /^(server|environment)\.ts$|^commands\//)).toEqual([])
})

// Otherwise production could serve the pages for development.
test('src/ imports nothing from dev/', () => {
  expect(filesWith(/'(\.\.\/)+dev\//, /^$/)).toEqual([])
})

// Only jobs, commands and the retries of mails, transactions and migrations may sleep: a request must not wait for a timer.
test('nothing sleeps', () => {
  const sleep = /timers\/promises|Atomics\.wait|setTimeout\((resolve|done|\(\) => resolve)/
  const mayPause = /^(jobs|commands)\/|^mail\/delivery\.ts$|^db\/(begin|database|group-commit|migrate)\.ts$/
  expect(filesWith(sleep, mayPause)).toEqual([])
})
