import chalk from 'chalk'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { describeVariant } from '../answers/variant.ts'
import type { Created, Written } from '../create/create.ts'
import { enter } from '../create/target.ts'
import { EXIT } from '../system/errors.ts'
import { shellWord, visible } from '../system/printing.ts'
import { toolFailure, toolLines } from './output.ts'

/** The next commands, in order, starting in the user's directory. */
function nextCommands({ answers, target, steps }: Created): string[] {
  const commands = packageManagerCommands[answers.packageManager]
  const installed = steps.some((step) => step.name === 'install' && step.status === 'done')
  return [...enter(target.directory), ...(installed ? [] : [commands.install]), `${commands.run} dev`]
}

const ORIGIN = 'http://localhost:3000'

/** What `dev` serves, and what to try first. `dev` prints these URLs too, with the port that it listens on. */
function placesOf({ mode }: Answers): string[] {
  const places = [
    [ORIGIN, mode === 'none' ? 'what to try first: add a note' : 'what to try first: create a demo user'],
    [`${ORIGIN}/docs`, 'every endpoint, and a form to call it'],
    ...(mode === 'complete' ? [[`${ORIGIN}/dev/mailbox`, 'every mail that the service would send']] : []),
  ]
  const width = Math.max(...places.map(([url = '']) => url.length))
  return places.map(([url = '', text]) => `  ${chalk.cyan(url)}${' '.repeat(width - url.length)}  ${text}`)
}

/** The command that creates the same project again. */
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

/** Which steps failed, and the command that repeats each; undefined if none did. */
export function failureOf({ steps, target }: Created): string | undefined {
  const failure = toolFailure(steps, enter(target.directory))
  return failure && `The project was written, but ${failure}`
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

/** What was written, as text. Printed before the installation, which takes long. */
export function writtenReport({ answers, files, kept, options, target }: Written): string {
  const place = `${visible(target.path)} (${describeVariant(answers)})`
  if (files.length === 0) return `${chalk.bold('Continuing')} with ${place}: all files are there, unchanged\n`
  const title = chalk.bold(`${options.dryRun ? 'Would write' : 'Wrote'} ${files.length} files`)
  const lines = [
    `${title} to ${place}`,
    ...(options.dryRun ? files.map((file) => `  ${file}`) : countsByFolder(files)),
    ...kept.map((file) => `  kept your ${file} instead of the generated one`),
    '',
  ]
  return lines.join('\n')
}

/** The outcome of the other steps and what to do next, as text. */
export function finalReport(created: Created): string {
  const { answers, options, steps } = created
  const lines = [...toolLines(steps), '']
  lines.push('To create the same project again:', `  ${visible(reproduceCommand(created))}`, '')
  if (options.dryRun) return lines.join('\n')
  const commands = nextCommands(created).map((line) => `  ${chalk.cyan(visible(line))}`)
  // The service needs it when it starts.
  if (answers.database === 'postgres')
    commands.splice(-1, 0, '  Create a PostgreSQL database: docs/database.md')
  lines.push('Next:', ...commands, '', 'Then open:', ...placesOf(answers), '')
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
