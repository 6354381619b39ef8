import { join } from 'node:path'
import { createFsFromVolume, Volume } from 'memfs'
import type { Answers } from '../../src/answers/answers.ts'
import { type PackageManager, packageManagerCommands } from '../../src/answers/package-managers.ts'
import { main } from '../../src/cli/main.ts'
import type { FileSystem } from '../../src/system/file-system.ts'
import type { Run, RunResult } from '../../src/system/run.ts'
import type { Prompts, System } from '../../src/system/system.ts'

/** Minimal blueprints in which every layer word has an effect. */
export const BLUEPRINTS = {
  '/blueprints/core/all/package.json':
    '{"version":"0.1.0","scripts":{"dev":"tsx src/server.ts"},"dependencies":{"zod":"^4"}}',
  '/blueprints/core/all/README.md.ejs':
    '# <%= name %>\n\nStart: `<%= run %> dev`\n<% if (auth) { %>\n\n## Accounts\n<% } %>\n',
  '/blueprints/core/all/_gitignore': '.env\nnode_modules/\n',
  '/blueprints/core/all/_env.example': '# Where to listen\nPORT=3000\n',
  '/blueprints/core/all/src/app.ts.ejs':
    "export const name = '<%= name %>'\n<% if (auth) { %>\nexport const accounts = true\n<% } %>\n",
  '/blueprints/core/none/src/routes/notes.ts': 'export const notes = []\n',
  '/blueprints/core/auth/package.json': '{"scripts":{"user":"tsx src/user.ts"},"dependencies":{"jose":"^6"}}',
  '/blueprints/core/auth-a/src/passwords.ts': "export const hash = 'bcrypt'\n",
  '/blueprints/core/auth-a/_env.example': 'SECRET_KEY=change-me-to-a-random-value\n',
  '/blueprints/core/auth-b/src/passwords.ts': "export const hash = 'argon2id'\n",
  '/blueprints/core/auth-b/_env.example': 'JWT_SECRET_KEY=change-me\nJWT_PREVIOUS_KEY=change-me\n',
  '/blueprints/core/sqlite/src/db.ts': "export const dialect = 'sqlite'\n",
  '/blueprints/core/postgres/src/db.ts': "export const dialect = 'postgres'\n",
  '/blueprints/core/pnpm/pnpm-workspace.yaml': 'allowBuilds: {}\n',
  '/blueprints/core/basic-b+sqlite/migrations/sqlite/0000_init.sql': 'SELECT 1;\n',
}

export const basicB: Answers = {
  name: 'my-api',
  mode: 'basic',
  profile: 'B',
  database: 'sqlite',
  addOns: [],
  packageManager: 'npm',
}

// memfs asks the system for the account at each step of each path, which takes a sixth of the time of the matrix.
const [user, group] = [process.getuid?.(), process.getgid?.()]
if (user !== undefined) process.getuid = () => user
if (group !== undefined) process.getgid = () => group

/** A file system in memory with the blueprints, an empty /work, and `files`. */
export function memoryFs(
  files: Record<string, string> = {},
  blueprints: Record<string, string> = BLUEPRINTS,
) {
  const volume = Volume.fromJSON({ ...blueprints, ...files })
  volume.mkdirSync('/work', { recursive: true })
  volume.mkdirSync('/tmp', { recursive: true })
  return { volume, fs: createFsFromVolume(volume) as unknown as FileSystem }
}

/** A runner that records its commands, and succeeds unless `answer` says otherwise. */
export function fakeRun(answer: (line: string) => Partial<RunResult> | undefined = () => undefined) {
  const lines: string[] = []
  const run: Run = async (command, args) => {
    const line = [command, ...args].join(' ')
    lines.push(line)
    const output = line.startsWith('git check-ignore') ? args.slice(1).join('\n') : ''
    return { ok: true, output, ...answer(line) }
  }
  return { run, lines }
}

/** A runner whose installations write the lock file that the real blueprints need. */
export const locking =
  (fs: FileSystem, run: Run): Run =>
  async (program, args, options) => {
    const result = await run(program, args, options)
    const { lockfile } = packageManagerCommands[program as PackageManager] ?? {}
    if (lockfile && result.ok && args[0] === 'install') fs.writeFileSync(join(options.cwd, lockfile), '')
    return result
  }

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  readonly lines: readonly string[]
  readonly system: System
}

/** Runs the command line in memory, without a terminal. */
export async function runCommand(argv: readonly string[], overrides: Partial<System> = {}): Promise<Outcome> {
  let stdout = ''
  let stderr = ''
  const { run, lines } = fakeRun()
  const system: System = {
    fs: memoryFs().fs,
    run,
    prompts: async () => {
      throw new Error('prompted')
    },
    env: {},
    cwd: '/work',
    blueprints: '/blueprints',
    interactive: false,
    terminal: () => ({ columns: 80, rows: 24 }),
    hasTerminal: false,
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 0, 1),
    pid: 4242,
    nodeVersion: '24.4.0',
    isAlive: () => false,
    print: (text) => {
      stdout += text
    },
    warn: (text) => {
      stderr += text
    },
    progress: (text) => {
      stderr += `${text()}\n`
      return () => {}
    },
    ...overrides,
  }
  const exitCode = await main(argv, system, async () => system)
  return { exitCode, stdout, stderr, lines, system }
}

/** Prompts that answer from a list and record their questions. */
export function scriptedPrompts(answers: readonly unknown[]) {
  const asked: {
    message: string
    default?: unknown
    choices?: readonly {
      value: unknown
      name?: string
      description?: string
      disabled?: unknown
      checked?: boolean
    }[]
  }[] = []
  const left = [...answers]
  const prompt = async (question: (typeof asked)[number]) => {
    asked.push(question)
    const answer = left.shift()
    if (answer instanceof Error) throw answer
    return answer
  }
  return { asked, prompts: { checkbox: prompt, input: prompt, select: prompt } as unknown as Prompts }
}

/** An error as the prompt library throws it when Ctrl-C is pressed. */
export function exitPromptError(): Error {
  return Object.assign(new Error('User force closed the prompt with SIGINT'), { name: 'ExitPromptError' })
}

/** All files of a folder in memory, by path relative to it. */
export function filesIn({ volume }: ReturnType<typeof memoryFs>, folder: string): Record<string, string> {
  const files = Object.entries(volume.toJSON(folder, undefined, true)).filter(([, text]) => text !== null)
  return Object.fromEntries(files.map(([path, text]) => [path, text ?? '']))
}
