import { styleText } from 'node:util'
import type { Created } from './create.ts'
import { EXIT, type UserError } from './errors.ts'
import { shellWord, visible } from './escape.ts'
import { packageManagerCommands } from './package-managers.ts'
import type { Step } from './step.ts'
import { isHere } from './target.ts'

/** What to type next, in order, from where the user is. */
function nextCommands({ answers, target, steps }: Created): string[] {
  const commands = packageManagerCommands[answers.packageManager]
  const installed = steps.some((step) => step.name === 'install' && step.status === 'done')
  return [...enter(target.directory), ...(installed ? [] : [commands.install]), `${commands.run} dev`]
}

/** The one command that gives the same project again. */
function reproduceCommand({ answers, target, options }: Created): string {
  const { create, dashes } = packageManagerCommands[answers.packageManager]
  const flags = [
    `--mode ${answers.mode}`,
    ...(answers.profile ? [`--profile ${answers.profile}`] : []),
    `--database ${answers.database}`,
    `--package-manager ${answers.packageManager}`,
    ...(options.install ? [] : ['--no-install']),
    ...(options.git ? [] : ['--no-git']),
  ]
  return `${create} ${shellWord(target.directory)}${dashes} ${flags.join(' ')}`
}

/** Where after-steps failed: which, and the command that repeats each. */
export function failureOf({ steps, target }: Created): string | undefined {
  const failures = steps.filter((step) => step.status === 'failed')
  if (failures.length === 0) return undefined
  const repeats = failures.map(
    ({ name, command = '' }) =>
      `${name} failed; repeat it with: ${[...enter(target.directory), command].join(' && ')}`,
  )
  return `the project is written, but ${repeats.join('; ')}`
}

/** The same for people: what the failed programs said last, then what to do. */
export function failureReport(steps: readonly Step[], failure: string): string {
  const said = steps
    .filter((step) => step.status === 'failed')
    .flatMap(({ detail = '' }) => detail.split('\n'))
  return `${said.map((line) => `  ${visible(line)}\n`).join('')}create-authsmith: ${visible(failure)}\n`
}

/** The whole outcome as one object, for `--json`. */
export function jsonReport(created: Created): object {
  const { target, answers, options, files, kept, steps } = created
  const failure = failureOf(created)
  return {
    ok: failure === undefined,
    exitCode: failure === undefined ? EXIT.done : EXIT.failed,
    ...(failure === undefined ? {} : { error: { code: 'failed', message: visible(failure) } }),
    dryRun: options.dryRun,
    directory: target.path,
    answers,
    files,
    kept,
    steps,
    next: nextCommands(created),
    reproduce: reproduceCommand(created),
  }
}

/** An error as one object, for `--json`. */
export function jsonError({ code, message }: UserError): object {
  return { ok: false, exitCode: EXIT[code], error: { code, message: visible(message) } }
}

/** The outcome for people. */
export function textReport(created: Created): string {
  const { answers, files, kept, options, steps, target } = created
  const chosen = [answers.mode, answers.profile, answers.database].filter(Boolean).join(', ')
  const title = styleText('bold', `${options.dryRun ? 'Would write' : 'Wrote'} ${files.length} files`)
  const lines = [
    `${title} to ${visible(target.path)} (${chosen})`,
    ...(options.dryRun ? files.map((file) => `  ${file}`) : countsByFolder(files)),
    ...kept.map((file) => `  kept the ${file} that was there; ours is not written`),
    ...steps.filter((step) => step.status !== 'failed').map(stepLine),
    '',
  ]
  if (!options.dryRun) {
    lines.push('Next:', ...nextCommands(created).map((line) => `  ${styleText('cyan', visible(line))}`), '')
  }
  lines.push('The same again:', `  ${visible(reproduceCommand(created))}`, '')
  return lines.join('\n')
}

/** How many files each top-level folder got. */
function countsByFolder(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = file.includes('/') ? `${file.split('/', 1)[0]}/` : './'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const width = Math.max(...[...counts.keys()].map((folder) => folder.length))
  return [...counts].map(([folder, count]) => `  ${folder.padEnd(width)} ${String(count).padStart(4)}`).sort()
}

function stepLine({ name, status, detail }: Step): string {
  return `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`
}

/** How to get into the project; nothing where the user is in it. */
function enter(directory: string): string[] {
  return isHere(directory) ? [] : [`cd ${shellWord(directory)}`]
}
