import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { succeed } from '../harness/command.ts'
import { cli, type Report } from '../harness/project.ts'

export interface Person {
  username: string
  password: string
}

/** How many requests are under way at once: enough for every core, few enough for the queue of hashes. */
const AT_ONCE = 16

/** Does something for each item, several at a time; the results are in the order of the items. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const queue = [...items.entries()]
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await work(next[1])
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return results
}

/** Commands in a project that changes its choices while it lives. */
export function livingProject(project: () => Report) {
  const npm = (...args: string[]) => succeed('npm', args, { cwd: project().directory })
  return {
    npm,
    /** Switches a choice, as an owner does: with a committed tree, and without a terminal. */
    async regenerate(...choice: string[]) {
      const { directory: cwd } = project()
      const env = { GIT_CONFIG_GLOBAL: `${cwd}/../../gitconfig` }
      await succeed('git', ['add', '--all'], { cwd, env })
      await succeed('git', ['commit', '--quiet', '--allow-empty', '--message', 'Work'], { cwd, env })
      const result = await cli(['regenerate', ...choice, '--yes'], { cwd })
      expect(result.code, result.stdout + result.stderr).toBe(0)
      return result
    },
  }
}

/** Rows that an SQL statement gives, read through the driver of the project at data/app.db. */
// biome-ignore lint/suspicious/noExplicitAny: a stranger knows no types; each test says what it expects.
export function query(cwd: string, sql: string): any[] {
  const script = `
    const statement = new (require('better-sqlite3'))('data/app.db').prepare(process.argv[1])
    console.log(JSON.stringify(statement.reader ? statement.all() : statement.run()))`
  return JSON.parse(execFileSync('node', ['-e', script, sql], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 }))
}
