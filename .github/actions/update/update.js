// Updates the project in the current directory, runs its tests, and writes what the action propose needs to $RUNNER_TEMP.
// Its job has no token that can write, because it runs code of the project and its dependencies.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commentOf, keepYours } from './conflicts.js'
import { bodyOf, bounded } from './report.js'

const {
  AUTHSMITH_VERSION = 'latest',
  AUTHSMITH_TEST = 'npm run check && npm test',
  RUNNER_TEMP = '',
} = process.env
const FOLDER = join(RUNNER_TEMP, 'create-authsmith')

const git = (...args) => execFileSync('git', args, { maxBuffer: 256 * 1024 * 1024 })

/** Runs the command. @returns the object that it prints */
function authsmith(...args) {
  const command = ['--yes', `create-authsmith@${AUTHSMITH_VERSION}`, ...args, '--json']
  const { stdout, status, error } = spawnSync('npx', command, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 256 * 1024 * 1024,
  })
  if (error) throw error
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`create-authsmith ${args.join(' ')} ended with ${status}: ${stdout}`)
  }
}

/** Keeps the owner's side of each conflict, so that the branch is complete. The other side becomes a comment. */
function resolve(paths) {
  return paths.map((path) => {
    const { text, conflicts } = keepYours(readFileSync(path, 'utf8'))
    writeFileSync(path, text)
    return { path, conflicts }
  })
}

function runTests() {
  const { status, stdout, stderr } = spawnSync(AUTHSMITH_TEST, {
    shell: true,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  return { command: AUTHSMITH_TEST, isPassed: status === 0, output: `${stdout}${stderr}` }
}

rmSync(FOLDER, { recursive: true, force: true })
const check = authsmith('regenerate', '--check')
if (check.check !== true) throw new Error(check.error?.message ?? 'regenerate --check failed')
if (check.ok) {
  console.log('The project is up to date.')
} else {
  const base = String(git('rev-parse', 'HEAD')).trim()
  const update = authsmith('regenerate', '--yes')
  if (update.kind !== 'update') throw new Error(update.error?.message ?? 'regenerate failed')
  const conflicts = resolve(update.conflicts)
  const finished = conflicts.length > 0 ? authsmith('regenerate', '--continue') : update
  if (finished.steps === undefined) throw new Error(finished.error?.message ?? 'regenerate --continue failed')
  const failed = finished.steps.filter(({ status }) => status === 'failed')
  const { from, to } = update.release ?? {}
  const title = from ? `create-authsmith ${from} → ${to}` : 'create-authsmith: bring the project up to date'
  git('add', '--all')
  const patch = git('diff', '--cached', '--binary', '--full-index', '--no-renames', '--no-ext-diff', base)
  const tests = runTests()
  // A file without markers needs something that is deleted.
  const count = conflicts.reduce((sum, each) => sum + Math.max(1, each.conflicts.length), 0)
  const proposal = {
    base,
    title: count > 0 ? `${title} (${count} ${count === 1 ? 'conflict' : 'conflicts'})` : title,
    body: bodyOf({ update, conflicts, failed, tests }),
    comments: conflicts.flatMap(commentOf).map(bounded).slice(0, 100),
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(join(FOLDER, 'proposal.json'), JSON.stringify(proposal))
  writeFileSync(join(FOLDER, 'update.patch'), patch)
}
