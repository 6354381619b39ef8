import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import type { State } from '../../src/answers/variant.ts'
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { fragmentsIn } from '../support/add-on-fragments.ts'
import { succeed } from '../support/command.ts'
import { filesIn, memoryFs, runCommand } from '../support/fixtures.ts'
import { filesBelow } from '../support/folder.ts'
import { freshFiles, writeDatabaseFiles } from './living-project.ts'
import { openPostgres, openSqlite, type TestDatabase } from './test-database.ts'

const tableOf = (name: string) => `import { id, integer, keyText, table, timestamp } from '../dialect.ts'
import { users } from './users.ts'

export const ${name} = table('${name}', {
  id: id(),
  userId: integer('user_id').notNull().references(() => users.id, { onDelete: 'cascade' }),
  kind: keyText('kind').notNull(),
  createdAt: timestamp('created_at').notNull(),
})
`

/** Its files: a table, a setting, an error, a route, an email, and a section for the pages. */
const LAYERS = {
  'add-ons/memos/all/src/db/schema/memos.ts': tableOf('memos'),
  'add-ons/memos/all/src/settings/memos.ts': "import { z } from 'zod'\n\nexport const memos = z.object({})\n",
  'add-ons/memos/all/src/errors/memos.ts': 'export const memos = {}\n',
  'add-ons/memos/all/src/routes/api/v1/memos.ts': 'export default async () => {}\n',
  'add-ons/memos/all/emails/memo.html': '<!--\nA memo\n-->\n<p>A memo</p>\n',
  'add-ons/memos/all/docs/memos.md': '# Memos\n',
  'add-ons/memos/all/_env.example': '# Memos of a user, 1 to 100.\nMEMOS=10\n',
  'add-ons/memos/all/README.md': '## Documentation\n\n| [Memos](docs/memos.md) | write memos |\n',
  'add-ons/memos/with-pages/pages/memos.js': 'export {}\n',
}

/** What two add-ons share: a table, and a file of the second one. */
const SHARED_LAYERS = {
  'add-ons/_shared/paper/all/src/db/schema/papers.ts': tableOf('papers'),
  'add-ons/letters/all/docs/letters.md': '# Letters\n',
}

const generate = (folder: string, name = 'memos') =>
  succeed('node', ['node_modules/drizzle-kit/bin.cjs', 'generate', '--name', name], { cwd: folder })

/** A table for a database, as its developer makes it: with Drizzle Kit, in a project that has the table. */
async function fragments(
  dialect: Dialect,
  name: string,
  layer: string,
  table = name,
): Promise<[string, string][]> {
  const folder = writeDatabaseFiles(freshFiles('complete-b' as State, dialect))
  writeFileSync(join(folder, `src/db/schema/${table}.ts`), tableOf(table))
  await generate(folder, name)
  return [...(fragmentsIn(folder, dialect, name) ?? [])].map(([path, text]) => [`${layer}/${path}`, text])
}

/** The real blueprints and the layers of the add-on, as files in memory. With a second one, what both share has a table. */
export async function blueprintsWithMemos({ isShared = false } = {}): Promise<Record<string, string>> {
  const own = new Map<string, string>(Object.entries({ ...LAYERS, ...(isShared && SHARED_LAYERS) }))
  for (const dialect of ['sqlite', 'postgres'] as const) {
    const tables = await fragments(dialect, 'memos', 'add-ons/memos')
    if (isShared) tables.push(...(await fragments(dialect, 'paper', 'add-ons/_shared/paper', 'papers')))
    for (const [path, text] of tables) own.set(path, text)
  }
  const all = [...filesBelow(join(import.meta.dirname, '../../blueprints')), ...own]
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
