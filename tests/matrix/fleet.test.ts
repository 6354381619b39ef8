// The actions update and propose of .github/actions/, each in a clone of its own, and the recipe for Renovate of docs/fleet.md in two, with programs
// of the test for gh, npx and npm.
import { execFileSync, spawnSync } from 'node:child_process'
import nodeFs, {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import type { AddOn } from '../../src/answers/add-ons.ts'
import { filesBelow } from '../../src/system/file-system.ts'
import { environment } from '../support/environment.ts'
import { MOVED, OLDER } from '../support/older-version.ts'
import { olderFiles, stateNamed } from './project.ts'

const ACTIONS = resolve('.github/actions')
const BRANCH = 'create-authsmith/update'
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'create-authsmith-fleet-')))
const command = join(folder, 'command/dist/cli.js')

/** Keeps one pull request in $GH_STATE, as far as the action uses it. */
const GH = `#!/usr/bin/env node
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const [pr, verb, ...args] = process.argv.slice(2)
const file = process.env.GH_STATE
const state = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { opened: 0, comments: [] }
const flag = (name) => args[args.indexOf(name) + 1]
const input = () => readFileSync(0, 'utf8')
if (pr !== 'pr' || !process.env.GH_TOKEN) process.exit(1)
else if (verb === 'list') console.log(JSON.stringify(state.opened ? [{ number: 7 }] : []))
else if (verb === 'view') console.log(JSON.stringify({ comments: state.comments }))
else if (verb === 'comment') state.comments.push({ body: input() })
else if (verb === 'create' || verb === 'edit') {
  if (verb === 'create') Object.assign(state, { opened: state.opened + 1, base: flag('--base'), head: flag('--head') })
  Object.assign(state, { title: flag('--title'), body: input() })
} else process.exit(1)
writeFileSync(file, JSON.stringify(state))
`

interface PullRequest {
  opened: number
  base: string
  head: string
  title: string
  body: string
  comments: { body: string }[]
}

interface Clone {
  readonly origin: string
  readonly directory: string
}

function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): string {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: environment(env),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${stdout}${stderr}`)
  return stdout.trim()
}

const git = (cwd: string, ...args: string[]) =>
  run('git', ['-c', 'user.name=Owner', '-c', 'user.email=owner@example.com', ...args], cwd)

function writeFiles(directory: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

/** A clone of a bare repository with these files. */
function cloneOf(name: string, files: Record<string, string>): Clone {
  const [origin, directory] = [join(folder, `${name}.git`), join(folder, name)]
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin)
  git(folder, 'clone', '--quiet', origin, directory)
  writeFiles(directory, files)
  git(directory, 'add', '--all')
  git(directory, 'commit', '--quiet', '--message', 'The project')
  git(directory, 'push', '--quiet', 'origin', 'HEAD:refs/heads/main')
  git(directory, 'clean', '-dfqx')
  return { origin, directory }
}

/** The files of a project of the older version. */
const outdated = (addOns: AddOn[] = []) => olderFiles({ ...stateNamed('basic A sqlite'), addOns })

/** The same with an edit of a line that changes. */
async function conflicting(): Promise<Record<string, string>> {
  const files = await outdated()
  const app = files['src/app.ts']?.replace('bodyLimit: 1024 * 1024,', 'bodyLimit: 64 * 1024, // ours')
  return { ...files, 'src/app.ts': app ?? '' }
}

/** Runs the action update on the main branch, as the first job does. @returns what it printed */
function update({ directory }: Clone, test = 'npm test'): string {
  git(directory, 'fetch', '--quiet', 'origin')
  git(directory, 'switch', '--quiet', '--force', '--force-create', 'main', 'origin/main')
  git(directory, 'clean', '-dfqx')
  mkdirSync(`${directory}.temporary`, { recursive: true })
  return run('node', [join(ACTIONS, 'update/update.js')], directory, {
    PATH: `${join(folder, 'programs')}:${process.env.PATH}`,
    RUNNER_TEMP: `${directory}.temporary`,
    AUTHSMITH_VERSION: packageJson.version,
    AUTHSMITH_TEST: test,
    CI: 'true',
  })
}

/** Runs the action propose in a fresh clone, as the second job does: only the artifact comes from the first. */
function propose({ origin, directory }: Clone, env: Record<string, string> = {}): string {
  const fresh = mkdtempSync(`${directory}.fresh-`)
  git(folder, 'clone', '--quiet', '--branch=main', origin, fresh)
  return run('node', [join(ACTIONS, 'propose/propose.js')], fresh, {
    PATH: `${join(folder, 'programs')}:${process.env.PATH}`,
    RUNNER_TEMP: `${directory}.temporary`,
    GH_TOKEN: 'secret',
    GH_STATE: `${directory}.json`,
    ...env,
  })
}

/** @returns what both jobs printed */
const act = (clone: Clone, test?: string): string => `${update(clone, test)}\n${propose(clone)}`

const pullRequestOf = ({ directory }: Clone): PullRequest =>
  JSON.parse(readFileSync(`${directory}.json`, 'utf8'))
const pushed = ({ origin }: Clone, path: string) => git(origin, 'show', `${BRANCH}:${path}`)
const branchesOf = ({ origin }: Clone) => git(origin, 'branch', '--format=%(refname:short)').split('\n')

beforeAll(() => {
  execFileSync('node', ['--import', 'tsx', 'build.js', dirname(command)])
  cpSync('blueprints', join(folder, 'command/blueprints'), { recursive: true })
  writeFiles(join(folder, 'command'), {
    'package.json': '{ "type": "module" }',
    'blueprints/moved.json': JSON.stringify(MOVED),
  })
  const programs = {
    gh: GH,
    // Without a token: code of the project runs in the same step.
    npx: `#!/bin/sh\n[ -z "$GH_TOKEN" ] && [ "$1 $2" = "--yes create-authsmith@${packageJson.version}" ] || exit 9\nshift 2\nexec node ${command} "$@"\n`,
    npm: '#!/bin/sh\n[ "$1" = install ] || { echo "The tests ran."; grep -q fastify package.json; }\n',
  }
  writeFiles(join(folder, 'programs'), programs)
  for (const name of Object.keys(programs)) chmodSync(join(folder, 'programs', name), 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** The JSON blocks of docs/fleet.md: the configuration of Renovate itself, and that of a project. */
const [itself, ofProject] = [
  ...readFileSync('docs/fleet.md', 'utf8').matchAll(/^```json\n(.*?)^```$/gms),
].map(([, json = '']) => JSON.parse(json))

describe('the recipe for Renovate', () => {
  const [manager] = ofProject.customManagers
  const [{ matchPackageNames, postUpgradeTasks }] = ofProject.packageRules
  const commands: string[] = postUpgradeTasks.commands.map((command: string) =>
    command.replace('{{{newVersion}}}', packageJson.version),
  )
  const matching = new RegExp(manager.matchStrings[0])
  const MANIFEST = '.authsmith/manifest.json'

  /** Runs its commands in a clone in which Renovate wrote the new version. @returns the exit code of the last one */
  function upgrade({ directory }: Clone): number | null {
    const manifest = readFileSync(join(directory, MANIFEST), 'utf8')
    const found = matching.exec(manifest)
    expect(found?.groups).toEqual({ currentValue: OLDER })
    const bumped = found?.[0].replace(OLDER, packageJson.version) ?? ''
    writeFileSync(join(directory, MANIFEST), manifest.replace(matching, bumped))
    const env = environment({ PATH: `${join(folder, 'programs')}:${process.env.PATH}` })
    // Renovate may start them without a shell.
    return commands
      .map((command) => command.split(' '))
      .reduce<number | null>(
        (_, [program = '', ...args]) => spawnSync(program, args, { cwd: directory, env }).status,
        0,
      )
  }

  it('finds the version, and names commands that Renovate may run', () => {
    expect(
      manager.managerFilePatterns.map((pattern: string) => new RegExp(pattern.slice(1, -1)).test(MANIFEST)),
    ).toEqual([true])
    expect(matchPackageNames).toEqual([manager.depNameTemplate])
    const allowed = itself.allowedCommands.map((pattern: string) => new RegExp(pattern))
    for (const command of commands)
      expect(
        allowed.filter((pattern: RegExp) => pattern.test(command)),
        command,
      ).toHaveLength(1)
  })

  it('updates a project', async () => {
    const clone = cloneOf('renovate', await outdated())
    expect(upgrade(clone)).toBe(0)
    const manifest = readFileSync(join(clone.directory, MANIFEST), 'utf8')
    expect(matching.exec(manifest)?.groups).toEqual({ currentValue: packageJson.version })
    expect(git(clone.directory, 'status', '--porcelain', '--', 'src/problem.ts')).toBe('?? src/problem.ts')
  })

  it('fails if there are conflicts, which have markers', async () => {
    const clone = cloneOf('renovate-edited', await conflicting())
    expect(upgrade(clone)).toBe(4)
    expect(readFileSync(join(clone.directory, 'src/app.ts'), 'utf8')).toMatch(/^<{7} /m)
  })
})

describe('the action that updates a fleet', () => {
  it('opens a pull request with the update, its report and the result of the tests', async () => {
    const addOns: AddOn[] = ['account-data', 'metrics']
    const older = await outdated(addOns)
    const clone = cloneOf('untouched', older)
    act(clone)
    const request = pullRequestOf(clone)
    expect(request).toMatchObject({ opened: 1, base: 'main', head: BRANCH, comments: [] })
    expect(request.title).toBe(`create-authsmith ${OLDER} → ${packageJson.version}`)
    expect(request.body).toContain('✅ `npm test` passed.')
    expect(request.body).toMatch(/^- update: \d+$/m)
    expect(request.body).toContain(
      `[What is new from ${OLDER} to ${packageJson.version}](https://unpkg.com/create-authsmith@${packageJson.version}/CHANGELOG.md)`,
    )
    expect(JSON.parse(pushed(clone, '.authsmith/manifest.json')).generator).toBe(packageJson.version)
    expect(JSON.parse(pushed(clone, '.authsmith/manifest.json')).answers.addOns).toEqual(addOns)
    expect(older['src/plugins/metrics.ts']).not.toContain('timingSafeEqual(hash')
    expect(pushed(clone, 'src/plugins/metrics.ts')).toContain('timingSafeEqual(hash')
    expect(git(clone.origin, 'log', '--format=%s', `main..${BRANCH}`)).toBe(request.title)
    expect(git(clone.origin, 'ls-tree', '-r', '--name-only', BRANCH)).not.toMatch(/pending\.json|^\.env$/m)
  })

  it('comments on conflicts, keeps the text of the owner, and says that the tests failed', async () => {
    const clone = cloneOf('edited', await conflicting())
    act(clone, "echo '4 tests failed' && false")
    const request = pullRequestOf(clone)
    expect(request.title).toBe(`create-authsmith ${OLDER} → ${packageJson.version} (1 conflict)`)
    expect(request.body).toContain("❌ `echo '4 tests failed' && false` failed.")
    expect(request.body).toContain('```\n4 tests failed\n```')
    expect(request.body).toContain('- `src/app.ts`: conflict')
    expect(request.comments).toHaveLength(1)
    const [{ body }] = request.comments as [{ body: string }]
    const [, line] = /^\*\*Conflict in `src\/app\.ts`, line (\d+)\.\*\*/.exec(body) ?? []
    const text = pushed(clone, 'src/app.ts')
    expect(text).not.toMatch(/^[<=>]{7}/m)
    expect(
      text
        .split('\n')
        .slice(Number(line) - 1, Number(line) + 5)
        .join('\n'),
    ).toContain('bodyLimit: 64 * 1024, // ours')
    expect(body).toContain('bodyLimit: 16 * 1024,')
    expect(JSON.parse(pushed(clone, '.authsmith/manifest.json')).generator).toBe(packageJson.version)
  })

  it('keeps an edited file that needs what is deleted, and names it as a conflict', async () => {
    const files = await outdated()
    const report = 'src/reports/report.ts'
    const text = `void 'ours'\n${files[report]}`
    const clone = cloneOf('left', { ...files, [report]: text })
    act(clone)
    const request = pullRequestOf(clone)
    expect(request.title).toBe(`create-authsmith ${OLDER} → ${packageJson.version} (1 conflict)`)
    expect(request.body).toContain(
      `- \`${report}\`: conflict (needs src/reports/totals.ts, which is deleted: change or delete it)`,
    )
    expect(request.comments).toEqual([])
    expect(pushed(clone, report)).toBe(text.trim())
  })

  it('changes the same pull request on the next run, and comments once', () => {
    const clone: Clone = { origin: join(folder, 'edited.git'), directory: join(folder, 'edited') }
    act(clone)
    expect(pullRequestOf(clone)).toMatchObject({ opened: 1, comments: [expect.anything()] })
    expect(pullRequestOf(clone).body).toContain('✅ `npm test` passed.')
  })

  it('leaves a branch alone that has commits of others', () => {
    const clone: Clone = { origin: join(folder, 'untouched.git'), directory: join(folder, 'untouched') }
    git(clone.directory, 'fetch', '--quiet', 'origin')
    git(clone.directory, 'switch', '--quiet', '--force', '--detach', `origin/${BRANCH}`)
    git(clone.directory, 'commit', '--quiet', '--allow-empty', '--message', 'Ours')
    git(clone.directory, 'push', '--quiet', 'origin', `HEAD:refs/heads/${BRANCH}`)
    expect(act(clone)).toContain(`${BRANCH} has commits of others.`)
    expect(git(clone.origin, 'log', '-1', '--format=%s', BRANCH)).toBe('Ours')
  })

  it('does nothing for a project that is up to date', () => {
    const flags = ['--mode', 'none', '--yes', '--no-install', '--no-git']
    run('node', [command, 'fresh', ...flags], folder)
    const paths = filesBelow(nodeFs, join(folder, 'fresh'))
    const files = paths.map((path) => [path, readFileSync(join(folder, 'fresh', path), 'utf8')])
    const clone = cloneOf('current', Object.fromEntries(files))
    expect(act(clone)).toContain('The project is up to date.')
    expect(branchesOf(clone)).toEqual(['main'])
    expect(existsSync(`${clone.directory}.json`)).toBe(false)
  })
})

describe('a project that attacks the action', () => {
  let clone: Clone
  const artifact = (name: string) => join(`${clone.directory}.temporary/create-authsmith`, name)
  const proposal = () => JSON.parse(readFileSync(artifact('proposal.json'), 'utf8'))
  beforeAll(async () => {
    clone = cloneOf('hostile', await outdated())
  })

  it('reaches no token: what its tests leave behind stays in the first job', () => {
    const seen = join(folder, 'seen')
    const evil = `sh -c 'env >> ${seen}; cat'`
    // In the fresh clone of the second job, none of this exists.
    const attack = [
      `env > ${seen}.first`,
      `echo /evil >> "$GITHUB_PATH"; echo NODE_OPTIONS=--require=/evil.js >> "$GITHUB_ENV"`,
      ...['core.sshCommand', 'core.fsmonitor', 'filter.evil.clean', 'credential.helper', 'core.editor'].map(
        (key) => `git config ${key} "${evil}"`,
      ),
      `git config url.ext::.insteadOf ${folder}; git config protocol.ext.allow always`,
      `echo '* filter=evil' > .git/info/attributes`,
      `for hook in pre-push reference-transaction post-index-change; do printf "#!/bin/sh\\n${evil}" > .git/hooks/$hook; chmod +x .git/hooks/$hook; done`,
    ]
    const files = { GITHUB_PATH: `${folder}/path`, GITHUB_ENV: `${folder}/env` }
    const exports = Object.entries(files).map(([name, path]) => `export ${name}=${path}`)
    update(clone, [...exports, ...attack].join('\n'))
    expect(existsSync(files.GITHUB_PATH)).toBe(true)
    expect(readFileSync(`${seen}.first`, 'utf8')).not.toContain('GH_TOKEN')
    propose(clone)
    expect(existsSync(seen)).toBe(false)
    expect(pullRequestOf(clone)).toMatchObject({ opened: 1, base: 'main' })
    expect(git(clone.origin, 'log', '--format=%an %P', `main..${BRANCH}`)).toBe(
      `create-authsmith ${git(clone.origin, 'rev-parse', 'main')}`,
    )
  })

  const NEW_FILE = (path: string, mode = '100644') =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
  it.each<[string, () => [object, string?], RegExp]>([
    ['another base', () => [{ base: 'f'.repeat(40) }], /made from another commit/],
    ['a base that is an option', () => [{ base: '--all' }], /the base is no commit/],
    ['a title of two lines', () => [{ title: 'a\nb' }], /not one short line/],
    ['a title without end', () => [{ title: 'a'.repeat(201) }], /not one short line/],
    ['a text that is none', () => [{ body: { length: 1 } }], /too long or not plain/],
    ['a text without end', () => [{ body: 'a'.repeat(70_000) }], /too long or not plain/],
    ['hidden characters', () => [{ body: 'a\u202eb' }], /too long or not plain/],
    ['hundreds of comments', () => [{ comments: Array(101).fill('a') }], /too many comments/],
    ['a comment that is none', () => [{ comments: [7] }], /a comment is/],
    ['a proposal of megabytes', () => [{ more: 'a'.repeat(2_000_001) }], /larger than/],
    ['a patch of megabytes', () => [{}, 'a'.repeat(20_000_001)], /larger than/],
    ['a workflow', () => [{}, NEW_FILE('.github/workflows/evil.yml')], /workflows: true/],
    ['a link', () => [{}, NEW_FILE('evil', '120000')], /is no file/],
    ['a path outside', () => [{}, NEW_FILE('../evil')], /invalid path|outside repository/],
    ['a file of git', () => [{}, NEW_FILE('.git/config')], /invalid path/],
    ['a patch that does not apply', () => [{}, NEW_FILE('package.json')], /already exists/],
  ])('hands over %s: nothing is pushed', (_case, attack, message) => {
    const kept = [proposal(), readFileSync(artifact('update.patch'))] as const
    const before = git(clone.origin, 'rev-parse', BRANCH)
    const [changes, patch] = attack()
    writeFileSync(artifact('proposal.json'), JSON.stringify({ ...kept[0], ...changes }))
    if (patch !== undefined) writeFileSync(artifact('update.patch'), patch)
    try {
      expect(() => propose(clone)).toThrow(message)
    } finally {
      writeFileSync(artifact('proposal.json'), JSON.stringify(kept[0]))
      writeFileSync(artifact('update.patch'), kept[1])
    }
    expect(git(clone.origin, 'rev-parse', BRANCH)).toBe(before)
  })

  it('may change a workflow if the owner allows it', () => {
    writeFileSync(artifact('update.patch'), NEW_FILE('.github/workflows/more.yml'))
    propose(clone, { AUTHSMITH_WORKFLOWS: 'true' })
    expect(pushed(clone, '.github/workflows/more.yml')).toBe('x')
  })
})
