import chalk from 'chalk'
import { type Answers, isSameAnswers, type PartialAnswers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { describeVariant } from '../answers/variant.ts'
import { type Created, type CreateOptions, finish, type Written, write } from '../create/create.ts'
import { enter, inspectTarget, type Place, parseDirectory } from '../create/target.ts'
import { findUnfinished } from '../create/unfinished.ts'
import { COMMAND } from '../system/command.ts'
import { EXIT } from '../system/errors.ts'
import { refuseMissingDirectory } from '../system/file-system.ts'
import { shellWord, visible } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { ignoredAmong } from '../tools/git.ts'
import { type AddOnFlags, parseNewAddOns } from './add-on-flags.ts'
import { failedOutput, grouped, printJson, printResult, toolFailure, toolLines } from './output.ts'
import {
  type AnswerFlags,
  answersSchema,
  completeAnswers,
  mergeAnswers,
  parseFlags,
  readAnswersFile,
} from './resolve-answers.ts'

/** The flags of the command that creates a project. */
export interface CreateFlags extends AnswerFlags, Pick<AddOnFlags, 'add'> {
  readonly install: boolean
  readonly git: boolean
  readonly yes?: true
  readonly from?: string
  readonly printSchema?: true
  readonly dryRun?: true
  readonly json?: true
}

/** Runs `create-authsmith [directory]`. @returns the exit code. @throws UserError */
export async function createCommand(
  directory: string | undefined,
  flags: CreateFlags,
  system: System,
): Promise<number> {
  const { from, json, install, git, yes = false, dryRun = false } = flags
  if (flags.printSchema) {
    printJson(system, answersSchema())
    return EXIT.done
  }
  refuseMissingDirectory(system.cwd)
  const file = from === undefined ? {} : readAnswersFile(system.fs, system.cwd, from)
  const added = flags.add && { addOns: parseNewAddOns(flags.add) }
  const merged = mergeAnswers({ ...parseFlags(flags), ...added }, file)
  const given = directory === undefined ? undefined : parseDirectory(directory, system.cwd)
  const named = given ? { ...merged, name: given.name } : merged
  // An interrupted creation is continued only if it has the answers that --yes stands for.
  const known = yes ? await completeAnswers(system, named, yes) : named
  const options = { install, git, dryRun }
  const resumed = given && resume(system, given, known, options)
  // Checked before the prompts, so that users do not answer all of them for a directory that is taken.
  if (given && !resumed) inspectTarget(system.fs, given)
  const asking: System = json ? { ...system, interactive: false } : system
  const written = resumed ?? (await askAndWrite(asking, given, known, yes, options))
  if (!json) system.print(writtenReport(written))
  const created = await finish(system, written)
  const { lockfile } = packageManagerCommands[written.answers.packageManager]
  const ignored = await ignoredAmong(system, written.target.path, [...written.files, lockfile])
  return printResult(system, json, { ...createdResult(created), ignored })
}

async function askAndWrite(
  system: System,
  given: Place | undefined,
  known: PartialAnswers,
  yes: boolean,
  options: CreateOptions,
): Promise<Written> {
  const asked = await completeAnswers(system, known, yes)
  const place = given ?? parseDirectory(asked.name, system.cwd)
  const answers = { ...asked, name: place.name }
  return (
    resume(system, place, answers, options) ??
    write(system, inspectTarget(system.fs, place), answers, options)
  )
}

/** Continues an interrupted creation, unless the user now gives other answers. */
function resume({ fs, isAlive }: System, target: Place, known: PartialAnswers, options: CreateOptions) {
  const answers = findUnfinished(fs, target, isAlive)?.manifest.answers
  const isSame = answers && isSameAnswers(answers, { ...answers, ...known })
  return isSame ? { target, answers, options, files: [], kept: [], notes: [] } : undefined
}

/** The next commands, in order, starting in the user's directory. */
function nextCommands({ answers, target, steps }: Created): string[] {
  const commands = packageManagerCommands[answers.packageManager]
  const step = steps.find(({ name }) => name === 'install')
  const install = step?.status === 'done' ? [] : [step?.command ?? commands.install]
  return [...enter(target.directory), ...install, `${commands.run} dev`]
}

const ORIGIN = 'http://localhost:3000'

/** What `dev` serves, and what to try first. `dev` prints these URLs too, with the port that it listens on. */
function placesOf({ mode }: Answers): string[] {
  const places = [
    [ORIGIN, mode === 'none' ? 'what to try first: add a note' : 'what to try first: create a demo user'],
    [`${ORIGIN}/docs`, 'every endpoint, and a form to call it'],
    ...(mode === 'complete' ? [[`${ORIGIN}/dev/mailbox`, 'every email that the service would send']] : []),
  ]
  const width = Math.max(...places.map(([url = '']) => url.length))
  return places.map(([url = '', text]) => `  ${chalk.cyan(url)}${' '.repeat(width - url.length)}  ${text}`)
}

/** The command that creates the same project again. */
function reproduceCommand({ answers, target, options }: Created): string {
  const flags = [
    `--mode ${answers.mode}`,
    ...(answers.profile ? [`--profile ${answers.profile}`] : []),
    `--database ${answers.database}`,
    `--add ${answers.addOns.join(',') || 'none'}`,
    `--package-manager ${answers.packageManager}`,
    ...(options.install ? [] : ['--no-install']),
    ...(options.git ? [] : ['--no-git']),
  ]
  return `${COMMAND} ${shellWord(target.directory)} ${flags.join(' ')}`
}

/** The report of a new project. Its failure is what is left to do. */
function createdResult(created: Created) {
  const { target, answers, options, files, kept, notes, steps } = created
  return {
    failure: toolFailure(steps, 'The project was written', enter(target.directory)),
    details: failedOutput(steps),
    text: finalReport(created),
    members: {
      dryRun: options.dryRun,
      directory: target.path,
      answers,
      files,
      kept,
      notes,
      steps,
      next: nextCommands(created),
      reproduce: reproduceCommand(created),
    },
  }
}

/** What was written, as text. Printed before the installation, which takes long. */
function writtenReport({ answers, files, kept, notes, options, target }: Written): string {
  const place = `${visible(target.path)} (${describeVariant(answers)})`
  if (files.length === 0) return `${chalk.bold('Continuing')} with ${place}: all files are there, unchanged\n`
  const title = chalk.bold(`${options.dryRun ? 'Would write' : 'Wrote'} ${files.length} files`)
  return [
    `${title} to ${place}`,
    ...(options.dryRun ? files.map((file) => `  ${file}`) : countsByFolder(files)),
    ...kept.map((file) => `  kept your ${file} instead of the generated one`),
    ...notes.map((note) => `  ${visible(note)}`),
    '',
  ].join('\n')
}

/** The outcome of the other steps and what to do next, as text. */
function finalReport(created: Created): string {
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
  const folders = [...grouped(files, (file) => (file.includes('/') ? `${file.split('/', 1)[0]}/` : './'))]
  const width = Math.max(...folders.map(([folder]) => folder.length))
  return folders
    .map(([folder, inside]) => `  ${folder.padEnd(width)} ${String(inside.length).padStart(4)}`)
    .sort()
}
