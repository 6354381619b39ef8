import { relative } from 'node:path'
import { styleText } from 'node:util'
import type { Step } from './after.ts'
import type { Answers } from './answers.ts'
import type { Created, CreateOptions } from './create.ts'
import { EXIT, type UserError } from './errors.ts'
import { shellWord, visible } from './escape.ts'
import { packageManagerCommands } from './package-managers.ts'

/** What to type next, in order. */
export function nextCommands({ answers, path, steps }: Created, cwd: string): string[] {
  const commands = packageManagerCommands[answers.packageManager]
  const way = relative(cwd, path)
  const installed = steps.some((step) => step.name === 'install' && step.status === 'done')
  return [
    ...(way === '' ? [] : [`cd ${shellWord(way)}`]),
    ...(installed ? [] : [commands.install]),
    `${commands.run} dev`,
  ]
}

/** The one command that gives the same project again. */
export function reproduceCommand(answers: Answers, directory: string, options: CreateOptions): string {
  const { create, dashes } = packageManagerCommands[answers.packageManager]
  const flags = [
    `--mode ${answers.mode}`,
    ...(answers.profile ? [`--profile ${answers.profile}`] : []),
    `--database ${answers.database}`,
    `--package-manager ${answers.packageManager}`,
    ...(options.install ? [] : ['--no-install']),
    ...(options.git ? [] : ['--no-git']),
  ]
  return `${create} ${shellWord(directory)}${dashes} ${flags.join(' ')}`
}

/** Where an after-step failed: which, why, and the command that repeats it. */
export function failureOf(steps: readonly Step[]): string | undefined {
  const failed = steps.filter((step) => step.status === 'failed')
  if (failed.length === 0) return undefined
  const repeats = failed.map((step) => `${step.name} failed; repeat it with: ${step.command}`)
  return `the project is written, but ${repeats.join('; ')}`
}

/** The whole outcome as one object, for `--json`. */
export function jsonReport(created: Created, directory: string, options: CreateOptions, cwd: string): object {
  const failure = failureOf(created.steps)
  return {
    ok: failure === undefined,
    exitCode: failure === undefined ? EXIT.done : EXIT.failed,
    dryRun: options.dryRun,
    directory: created.path,
    answers: created.answers,
    files: created.files,
    kept: created.kept,
    steps: created.steps,
    next: nextCommands(created, cwd),
    reproduce: reproduceCommand(created.answers, directory, options),
    ...(failure === undefined ? {} : { error: { code: 'failed', message: failure } }),
  }
}

/** An error as one object, for `--json`. */
export function jsonError({ code, message }: UserError): object {
  return { ok: false, exitCode: EXIT[code], error: { code, message } }
}

/** The outcome for people. */
export function textReport(created: Created, directory: string, options: CreateOptions, cwd: string): string {
  const { answers, files, kept, path, steps } = created
  const chosen = [answers.mode, answers.profile, answers.database].filter(Boolean).join(', ')
  const verb = options.dryRun ? 'Would write' : 'Wrote'
  return [
    `${styleText('bold', `${verb} ${files.length} files`)} to ${visible(path)} (${chosen})`,
    ...(options.dryRun ? files.map((file) => `  ${file}`) : countsByFolder(files)),
    ...kept.map((file) => styleText('yellow', `  kept your ${file}; ours is not written`)),
    ...steps.filter((step) => step.status !== 'failed').map(stepLine),
    '',
    'Next:',
    ...nextCommands(created, cwd).map((command) => `  ${styleText('cyan', visible(command))}`),
    '',
    'The same again:',
    `  ${visible(reproduceCommand(answers, directory, options))}`,
    '',
  ].join('\n')
}

function countsByFolder(files: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const folder = file.includes('/') ? `${file.split('/', 1)[0]}/` : './'
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  const width = Math.max(...[...counts.keys()].map((folder) => folder.length))
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, count]) => `  ${folder.padEnd(width)}  ${count}`)
}

function stepLine({ name, status, detail }: Step): string {
  return `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`
}

/** The same for people: what the failed programs said last, then what to do. */
export function failureLines(steps: readonly Step[], failure: string): string {
  const said = steps
    .filter((step) => step.status === 'failed')
    .flatMap((step) => (step.detail ?? '').split('\n'))
    .map((line) => `  ${visible(line)}\n`)
  return `${said.join('')}create-authsmith: ${visible(failure)}\n`
}
