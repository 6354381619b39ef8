import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import { succeed } from '../../support/command.ts'
import { cli, type Report } from '../../support/create-project.ts'

export interface Person {
  username: string
  password: string
}

/** Parallel requests: enough for every core, few enough for the hash queue. */
const AT_ONCE = 16

/** Runs `work` for each item, several in parallel. @returns the results in the order of the items */
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

/** Commands in a project that switches its mode, profile or database. */
export function livingProject(project: () => Pick<Report, 'directory'>) {
  const npm = (...args: string[]) => succeed('npm', args, { cwd: project().directory })
  return {
    npm,
    /** Commits all changes and switches, without a terminal. */
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

/** Runs an SQL statement on data/app.db with the project's driver. @returns the rows */
// biome-ignore lint/suspicious/noExplicitAny: the rows have no types; each test asserts what it expects.
export function query(cwd: string, sql: string): any[] {
  const script = `
    const statement = new (require('better-sqlite3'))('data/app.db').prepare(process.argv[1])
    console.log(JSON.stringify(statement.reader ? statement.all() : statement.run()))`
  return JSON.parse(execFileSync('node', ['-e', script, sql], { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 }))
}
