import { execFileSync } from 'node:child_process'
import { expect, inject } from 'vitest'
import { succeed } from '../../support/command.ts'
import { cli, type Report } from '../../support/create-project.ts'
import { linkPackages } from '../../support/packages.ts'
import { testsOfChanges } from '../generated/changes.ts'
import { copySwitched, runTests } from '../generated/run-tests.ts'
import { isWhole } from '../variants/every-run.ts'

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
  /** Commits all changes and switches, without a terminal. */
  const switchTo = async (choice: string[], code = 0) => {
    const { directory: cwd } = project()
    const env = { GIT_CONFIG_GLOBAL: inject('gitConfig') }
    await succeed('git', ['add', '--all'], { cwd, env })
    await succeed('git', ['commit', '--quiet', '--allow-empty', '--message', 'Work'], { cwd, env })
    const result = await cli(['regenerate', ...choice, '--yes'], { cwd })
    expect(result.code, result.stdout + result.stderr).toBe(code)
    return result
  }
  return {
    npm,
    /** Switches, and links the packages. */
    async regenerate(...choice: string[]) {
      const result = await switchTo([...choice, '--no-install'])
      linkPackages(project().directory, inject('modules'))
      return result
    },
    /** Switches as far as the conflicts. */
    regenerateToConflicts: (...choice: string[]) => switchTo([...choice, '--no-install'], 4),
    /** Switches, and installs the packages. */
    regenerateAndInstall: (...choice: string[]) => switchTo(choice),
    /** Runs the tests that can come out differently than in a new project of the variant, which runs all. */
    async testOwn(variant: string) {
      const { directory } = project()
      await runTests(copySwitched(directory), isWhole ? [] : testsOfChanges(directory, variant))
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
