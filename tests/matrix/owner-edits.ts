import type { Memory } from './project.ts'
import { allFiles } from './project.ts'

/** A project's files by path. An edit changes the record, or does nothing if its file is missing. */
type Files = Record<string, string>
type Edit = (files: Files) => void

const replace =
  (path: string, part: string | RegExp, by: string): Edit =>
  (files) => {
    const text = files[path]
    if (text !== undefined) files[path] = text.replace(part, by)
  }

const add =
  (path: string, text: string): Edit =>
  (files) => {
    files[path] = text
  }

const changeJson =
  (path: string, change: (value: Record<string, Record<string, unknown>>) => void): Edit =>
  (files) => {
    const value = JSON.parse(files[path] ?? '{}')
    change(value)
    files[path] = `${JSON.stringify(value, null, 2)}\n`
  }

const all =
  (...edits: readonly Edit[]): Edit =>
  (files) => {
    for (const edit of edits) edit(files)
  }

const ROUTE = `import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'

export default (async (app) => {
  app.get('/time', { schema: { response: { 200: z.object({ time: z.string() }) } } }, async () => ({
    time: new Date(app.now()).toISOString(),
  }))
}) satisfies FastifyPluginAsyncZod
`

const TABLE = `import { id, table, text } from '../dialect.ts'

export const tasks = table('tasks', { id: id(), title: text('title').notNull() })
`

/** Typical edits by an owner. Each edit gives the same result before and after an update. */
export const EDITS: Record<string, Edit> = {
  'a new route and its test': all(
    add('src/routes/api/v1/time.ts', ROUTE),
    add('test/http/time.test.ts', "import { test } from 'vitest'\n\ntest.todo('time')\n"),
  ),
  'a changed handler': all(
    replace('src/routes/health.ts', "summary: 'The process answers'", "summary: 'It lives'"),
    replace(
      'src/routes/api/v1/auth/login.ts',
      '\n  app.post(',
      '\n  // Ours: counted by the proxy too.\n  app.post(',
    ),
    replace('src/routes/api/v1/auth/register.ts', 'async (request', 'async (/* ours */ request'),
  ),
  'an added column': all(
    replace('src/db/schema/users.ts', /(\n {4}username: .*)/, "$1\n    phone: text('phone'),"),
    replace('src/db/schema/notes.ts', /(\n {2}body: .*)/, "$1\n  color: text('color'),"),
  ),
  'a new table': add('src/db/schema/tasks.ts', TABLE),
  'an added dependency and script': changeJson(
    'package.json',
    ({ scripts, dependencies, devDependencies }) => {
      if (scripts) scripts.seed = 'tsx src/commands/seed.ts'
      if (dependencies) Object.assign(dependencies, { 'date-fns': '^4.1.0' })
      if (devDependencies) Object.assign(devDependencies, { '@types/ms': '^2.1.0' })
      // Every package manager sorts these lists.
      for (const list of [dependencies, devDependencies]) sortKeys(list)
    },
  ),
  'a changed template': all(
    replace('emails/email_changed.html', '</h1>', '</h1>\n<p>Our own words.</p>'),
    replace('emails/password_reset.html', '</h1>', '</h1>\n<p>Our own words.</p>'),
    replace('emails/reset_password_email.html', '</h1>', '</h1>\n<p>Our own words.</p>'),
    replace('pages/verify-email.html', '<body', '<body data-ours="1"'),
    replace('pages/account.html', '<body', '<body data-ours="1"'),
    replace('pages/account/30-email.html', '<h2', '<h2 data-ours="1"'),
    replace('pages/register.html', '<body', '<body data-ours="1"'),
    replace('pages/style.css', /^/, '/* ours */\n'),
  ),
  'deleted files': (files) => {
    for (const path of [
      'AGENTS.md',
      'Dockerfile',
      'test/accounts/register.test.ts',
      '.github/workflows/ci.yml',
    ])
      delete files[path]
  },
  'a renamed file': (files) => {
    files['docker-compose.yaml'] = files['compose.yaml'] ?? ''
    delete files['compose.yaml']
  },
  'a byte order mark and a missing final line break': (files) => {
    files['.gitignore'] &&= `\u{feff}${files['.gitignore'].trimEnd()}`
    files['src/plugins/docs.ts'] &&= files['src/plugins/docs.ts'].trimEnd()
  },
  'an edited README': all(
    replace('README.md', /^# .*\n/, '# Our service\n\nOur own words.\n'),
    replace('README.md', '## Documentation\n', '## Ours\n\nSomething else.\n\n## Documentation\n'),
  ),
  'more settings': all(
    replace('.env.example', /^/, '# Ours\nOUR_SETTING=1\n\n'),
    replace('tsconfig.json', '"compilerOptions": {', '"compilerOptions": {\n    "removeComments": true,'),
  ),
  'CRLF line endings': (files) => {
    for (const path of [
      'src/settings/index.ts',
      'src/errors/index.ts',
      'src/app.ts',
      '.env.example',
      'test/support/settings.ts',
      'tsconfig.json',
    ])
      files[path] &&= files[path].replaceAll('\n', '\r\n')
  },
}

function sortKeys(object: Record<string, unknown> | undefined): void {
  const entries = Object.entries(object ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const key of Object.keys(object ?? {})) delete object?.[key]
  Object.assign(object ?? {}, Object.fromEntries(entries))
}

/** Applies an edit to the project on disk. */
export function editOnDisk(memory: Memory, edit: Edit): void {
  const before = allFiles(memory)
  const after = { ...before }
  edit(after)
  for (const path of Object.keys(before)) if (!(path in after)) memory.volume.rmSync(`/work/my-api/${path}`)
  for (const [path, text] of Object.entries(after)) {
    if (text === before[path]) continue
    memory.volume.mkdirSync(`/work/my-api/${path}/..`, { recursive: true })
    memory.volume.writeFileSync(`/work/my-api/${path}`, text)
  }
}

/** Adds the migration that Drizzle Kit would write for the added column and the new table. */
export function addOwnMigration(files: Files, dialect: 'sqlite' | 'postgres'): void {
  const folder = `migrations/${dialect}`
  const journal = JSON.parse(files[`${folder}/meta/_journal.json`] ?? '')
  const last = journal.entries.at(-1)
  const snapshot = JSON.parse(files[`${folder}/meta/0000_snapshot.json`] ?? '')
  const prefix = dialect === 'postgres' ? 'public.' : ''
  const [name, column] = snapshot.tables[`${prefix}users`] ? ['users', 'phone'] : ['notes', 'color']
  const like = snapshot.tables[`${prefix}${name}`]
  const text = { ...like.columns[name === 'users' ? 'username' : 'title'], notNull: false }
  like.columns[column] = { ...text, name: column }
  snapshot.tables[`${prefix}tasks`] = {
    ...Object.fromEntries(
      Object.keys(like).map((key) => [key, typeof like[key] === 'object' ? {} : like[key]]),
    ),
    name: 'tasks',
    columns: { id: like.columns.id, title: { ...text, name: 'title', notNull: true } },
  }
  Object.assign(snapshot, { prevId: snapshot.id, id: '11111111-2222-4333-8444-555555555555' })
  journal.entries.push({ ...last, idx: 1, when: last.when + 1000, tag: '0001_ours' })
  const quote = dialect === 'postgres' ? '"' : '`'
  const id =
    dialect === 'postgres' ? '"id" integer PRIMARY KEY' : '`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL'
  files[`${folder}/0001_ours.sql`] =
    `CREATE TABLE ${quote}tasks${quote} (\n\t${id},\n\t${quote}title${quote} text NOT NULL\n);\n--> statement-breakpoint\n` +
    `ALTER TABLE ${quote}${name}${quote} ADD ${dialect === 'postgres' ? 'COLUMN ' : ''}${quote}${column}${quote} text;\n`
  files[`${folder}/meta/0001_snapshot.json`] = `${JSON.stringify(snapshot, null, 2)}\n`
  files[`${folder}/meta/_journal.json`] = `${JSON.stringify(journal, null, 2)}\n`
}
