import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import type { State } from '../../src/answers/variant.ts'
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { succeed } from '../support/command.ts'
import { filesIn, memoryFs, runCommand } from '../support/fixtures.ts'
import { filesBelow } from '../support/folder.ts'
import { freshFiles, writeDatabaseFiles } from './living-project.ts'
import { openPostgres, openSqlite, type TestDatabase } from './test-database.ts'

const TABLE = `import { id, integer, keyText, table, timestamp } from '../dialect.ts'
import { users } from './users.ts'

export const memos = table('memos', {
  id: id(),
  userId: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  kind: keyText('kind').notNull(),
  createdAt: timestamp('created_at').notNull(),
})
`

/** Its files: a table, a setting, an error, a route, an email, and a section for the pages. */
const LAYERS = {
  'memos/src/db/schema/memos.ts': TABLE,
  'memos/src/settings/memos.ts': "import { z } from 'zod'\n\nexport const memos = z.object({})\n",
  'memos/src/errors/memos.ts': 'export const memos = {}\n',
  'memos/src/routes/api/v1/memos.ts': 'export default async () => {}\n',
  'memos/emails/memo.html': '<!--\nA memo\n-->\n<p>A memo</p>\n',
  'memos/docs/memos.md': '# Memos\n',
  'memos/_env.example': '# Memos of a user, 1 to 100.\nMEMOS=10\n',
  'memos/README.md': '## Documentation\n\n| [Memos](docs/memos.md) | write memos |\n',
  'memos+pages/pages/memos.js': 'export {}\n',
}

const generate = (folder: string) =>
  succeed('node', ['node_modules/drizzle-kit/bin.cjs', 'generate', '--name', 'memos'], { cwd: folder })

/** The add-on's tables for a database, as its developer makes them: with Drizzle Kit, in a project that has the table. */
async function fragments(dialect: Dialect): Promise<Record<string, string>> {
  const folder = writeDatabaseFiles(freshFiles('complete-b' as State, dialect))
  writeFileSync(join(folder, 'src/db/schema/memos.ts'), TABLE)
  await generate(folder)
  const read = (path: string) => readFileSync(join(folder, 'migrations', dialect, path), 'utf8')
  const { tables } = JSON.parse(read('meta/0001_snapshot.json'))
  const key = Object.keys(tables).find((each) => each.endsWith('memos')) ?? ''
  return {
    [`${dialect}+memos/migrations/${dialect}/memos.sql`]: read('0001_memos.sql'),
    [`${dialect}+memos/migrations/${dialect}/memos.json`]: JSON.stringify({ [key]: tables[key] }),
  }
}

/** The real blueprints and the layers of the add-on, as files in memory. */
export async function blueprintsWithMemos(): Promise<Record<string, string>> {
  const own = { ...LAYERS, ...(await fragments('sqlite')), ...(await fragments('postgres')) }
  const all = [...filesBelow(join(import.meta.dirname, '../../blueprints')), ...Object.entries(own)]
  return Object.fromEntries(all.map(([path, text]) => [`/blueprints/${path}`, text]))
}

/** A project of complete B in memory, whose migrations run in a database of each kind that it had. */
export class ProjectWithMemos {
  readonly #memory: ReturnType<typeof memoryFs>
  readonly #databases = new Map<Dialect, { database: TestDatabase; applied: Set<string> }>()
  #now = Date.UTC(2027, 0, 1)

  constructor(blueprints: Record<string, string>) {
    this.#memory = memoryFs({}, blueprints)
  }

  /** Runs the command in the project. @returns its report */
  async run(...argv: readonly string[]): Promise<string> {
    this.#now += 60_000
    const isThere = this.#memory.volume.existsSync('/work/my-api')
    const { exitCode, stdout, stderr } = await runCommand([...argv, '--no-install'], {
      fs: this.#memory.fs,
      cwd: isThere ? '/work/my-api' : '/work',
      now: () => this.#now,
    })
    expect(exitCode, stderr + stdout).toBe(0)
    return stdout
  }

  static async create(blueprints: Record<string, string>, ...flags: readonly string[]) {
    const project = new ProjectWithMemos(blueprints)
    await project.run('my-api', '--yes', ...flags, '--no-git')
    return project
  }

  get files(): Map<string, string> {
    return new Map(Object.entries(filesIn(this.#memory, '/work/my-api')))
  }

  /** The files that an update makes like those of a new project. */
  get code(): Record<string, string> {
    const isOwn = (path: string) => /^(\.authsmith|migrations)\/|^\.env$/.test(path)
    return Object.fromEntries([...this.files].filter(([path]) => !isOwn(path)))
  }

  tags(dialect: Dialect): string[] {
    const { entries } = JSON.parse(this.files.get(`migrations/${dialect}/meta/_journal.json`) ?? '')
    return entries.map(({ tag }: { tag: string }) => tag)
  }

  /** Writes a migration, as the owner does. */
  write(path: string, text: string): void {
    this.#memory.volume.writeFileSync(`/work/my-api/${path}`, text)
  }

  /** Applies the new migrations. @returns the database */
  async migrate(dialect: Dialect): Promise<TestDatabase> {
    const open = dialect === 'sqlite' ? openSqlite : openPostgres
    const known = this.#databases.get(dialect) ?? {
      database: await open(inject('modules')),
      applied: new Set<string>(),
    }
    this.#databases.set(dialect, known)
    for (const tag of this.tags(dialect).filter((each) => !known.applied.has(each))) {
      const sql = this.files.get(`migrations/${dialect}/${tag}.sql`) ?? ''
      await known.database.migrate(...sql.split('--> statement-breakpoint'))
      known.applied.add(tag)
    }
    return known.database
  }

  /** What Drizzle Kit says about a difference between the code and the migrations. */
  async difference(): Promise<string> {
    const { stdout, stderr } = await generate(writeDatabaseFiles(this.files))
    return stdout + stderr
  }

  async remove(): Promise<void> {
    for (const { database } of this.#databases.values()) await database.remove()
  }
}
