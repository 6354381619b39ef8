import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inject } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { accountsIn, type State } from '../../src/answers/variant.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { RECOGNIZED } from '../../src/migrations/drizzle-kit/append.ts'
import { readFolder } from '../../src/migrations/drizzle-kit/folder.ts'
import type { ExistingUsers } from '../../src/migrations/rows/rule.ts'
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { transition } from '../../src/migrations/transition.ts'
import { renderOnce } from '../support/blueprints.ts'
import { succeed } from '../support/command.ts'
import { filesBelow } from '../support/folder.ts'
import { KEYS, startInTerminal } from '../support/terminal.ts'
import { openPostgres, openSqlite, type TestDatabase } from './test-database.ts'

/** Between two switches or migrations of a project: the time of a migration identifies it. */
const MINUTE = 60_000

const GENERATE = ['node_modules/drizzle-kit/bin.cjs', 'generate', '--name', 'generated']

/** All files of a fresh project in this state. */
export function freshFiles(state: State, database: Dialect): ReadonlyMap<string, string> {
  const answers: Answers = {
    name: 'my-api',
    ...accountsIn(state),
    database,
    addOns: [],
    packageManager: 'npm',
  }
  return renderOnce(planOf(answers))
}

/** What src/db/ needs: it throws the errors of src/config.ts, which reads the settings. */
const DATABASE_FILE =
  /^(src\/(db|settings)|migrations)\/|^(src\/config\.ts|drizzle\.config\.ts|\.authsmith\/manifest\.json)$/

/** Writes a project's manifest and files of the database to a new folder with node_modules. @returns its path */
export function writeDatabaseFiles(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(inject('drafts'), 'living-'))
  for (const [path, text] of files) {
    if (!DATABASE_FILE.test(path)) continue
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  symlinkSync(join(inject('modules'), 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A project that switches from state to state, with a database that gets every migration in between. */
export class LivingProject {
  files: Map<string, string>
  readonly dialect: Dialect
  readonly history: State[]
  readonly database: TestDatabase
  /** The owner's edit of each file by path; the rendered text is empty for a file that the owner added. */
  readonly edits = new Map<string, (rendered: string) => string>()
  /** The SQL of the applied migrations by their time. */
  readonly #applied = new Map<number, string>()
  /** The files as generated last. */
  #base: ReadonlyMap<string, string>
  #now = 1_800_000_000_000

  /** @param files those of an older version; by default, of this one */
  static async create(
    state: State,
    dialect: Dialect,
    files = freshFiles(state, dialect),
  ): Promise<LivingProject> {
    const database =
      dialect === 'sqlite' ? openSqlite(inject('modules')) : await openPostgres(inject('modules'))
    const project = new LivingProject(state, dialect, database, files)
    await project.migrate()
    return project
  }

  private constructor(
    state: State,
    dialect: Dialect,
    database: TestDatabase,
    files: ReadonlyMap<string, string>,
  ) {
    this.dialect = dialect
    this.history = [state]
    this.files = new Map(files)
    this.#base = files
    this.database = database
  }

  #tick(): number {
    this.#now += MINUTE
    return this.#now
  }

  get state(): State {
    return this.history.at(-1) as State
  }

  get journal(): {
    entries: { idx: number; version: string; when: number; tag: string; breakpoints: boolean }[]
  } {
    return JSON.parse(this.files.get(`migrations/${this.dialect}/meta/_journal.json`) ?? '')
  }

  /** Switches to a state and applies the new migrations, unless told otherwise. @returns the notes of the switch */
  async to(
    state: State,
    options: { existingUsers?: ExistingUsers; keptTables?: Set<string>; isApplied?: boolean } = {},
  ): Promise<readonly string[]> {
    const next = freshFiles(state, this.dialect)
    const { files, notes } = transition({
      dialect: this.dialect,
      folder: readFolder(this.files, this.dialect),
      base: this.#base,
      next,
      history: this.history,
      to: state,
      existingUsers: options.existingUsers ?? 'unverified',
      ever: [],
      keptTables: options.keptTables ?? new Set(),
      fresh: (past) => freshFiles(past, this.dialect),
      now: this.#tick(),
    })
    const migrations = [...this.files].filter(([path]) => path.startsWith('migrations/'))
    this.files = new Map([...next, ...migrations, ...files])
    this.history.push(state)
    this.#base = next
    this.edit()
    if (options.isApplied ?? true) await this.migrate()
    return notes
  }

  /** Applies the owner's edits to the files as rendered. */
  edit(): void {
    for (const [path, change] of this.edits) this.files.set(path, change(this.files.get(path) ?? ''))
  }

  /** Applies the pending migrations, as the service recognizes them: by their time, or by the SQL of one that is gone. */
  async migrate(): Promise<void> {
    const { entries } = this.journal
    for (const { when, tag } of entries) {
      if (this.#applied.has(when)) continue
      const sql = this.files.get(`migrations/${this.dialect}/${tag}.sql`) ?? ''
      const former = [...this.#applied].find(
        ([time, text]) =>
          text === sql && sql.startsWith(RECOGNIZED) && entries.every((entry) => entry.when !== time),
      )
      if (former) this.#applied.delete(former[0])
      else await this.database.migrate(...sql.split('--> statement-breakpoint'))
      this.#applied.set(when, sql)
    }
  }

  /** @returns takes the project back to this moment, as git does: the database stays as it is */
  remember(): () => void {
    const [files, base, history] = [new Map(this.files), this.#base, [...this.history]]
    return () => {
      this.files = new Map(files)
      this.#base = base
      this.history.splice(0, Infinity, ...history)
    }
  }

  /** Adds a migration by the owner and applies it. `change` edits its snapshot. */
  async ownMigration(
    sql: string,
    change: (snapshot: { tables: Record<string, Table> }) => void = () => {},
    when = this.#tick(),
  ): Promise<void> {
    const folder = `migrations/${this.dialect}`
    const { entries, ...journal } = this.journal
    const last = entries.at(-1)
    const prefix = String(entries.length).padStart(4, '0')
    const snapshot = JSON.parse(
      this.files.get(`${folder}/meta/${last?.tag.split('_')[0]}_snapshot.json`) ?? '',
    )
    snapshot.prevId = snapshot.id
    snapshot.id = `own-${prefix}`
    change(snapshot)
    const entry = { ...last, idx: entries.length, when, tag: `${prefix}_own` }
    this.files.set(`${folder}/${prefix}_own.sql`, sql)
    this.files.set(`${folder}/meta/${prefix}_snapshot.json`, JSON.stringify(snapshot, null, 2))
    this.files.set(
      `${folder}/meta/_journal.json`,
      JSON.stringify({ ...journal, entries: [...entries, entry] }),
    )
    await this.migrate()
  }

  /** Runs `drizzle-kit generate` and keeps the migration that it generates. @returns its output */
  async generate(): Promise<string> {
    const folder = writeDatabaseFiles(this.files)
    const { stdout, stderr } = await succeed('node', GENERATE, { cwd: folder })
    this.#keepMigrations(folder)
    return stdout + stderr
  }

  /**
   * Does the same in a terminal, answers its only question, and applies the migration.
   * @param change changes its SQL before
   */
  async generateWith(answer: 'create' | 'rename', change = (sql: string) => sql): Promise<void> {
    const folder = writeDatabaseFiles(this.files)
    const terminal = startInTerminal('node', GENERATE, { cwd: folder })
    await terminal.until(/created or renamed/)
    await terminal.until(/rename (?:table|column)/)
    if (answer === 'rename') {
      terminal.type(KEYS.down)
      await terminal.until(/❯ ~.*rename/)
    }
    terminal.type(KEYS.enter)
    await terminal.until(/SQL migration file/)
    await terminal.ended
    this.#keepMigrations(folder)
    const path = `migrations/${this.dialect}/${this.journal.entries.at(-1)?.tag}.sql`
    this.files.set(path, change(this.files.get(path) ?? ''))
    await this.migrate()
  }

  #keepMigrations(folder: string): void {
    for (const [path, text] of filesBelow(join(folder, 'migrations')))
      this.files.set(`migrations/${path}`, text)
  }
}

/** The part of a snapshot's table that the tests change. */
export interface Table {
  name: string
  columns: Record<string, unknown>
  indexes: Record<string, unknown>
}
