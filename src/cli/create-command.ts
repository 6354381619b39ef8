import { isSameAnswers, type PartialAnswers } from '../answers/answers.ts'
import { type CreateOptions, finish, type Written, write } from '../create/create.ts'
import { inspectTarget, type Place, parseDirectory } from '../create/target.ts'
import { findUnfinished } from '../create/unfinished.ts'
import { EXIT } from '../system/errors.ts'
import { refuseMissingDirectory } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { failureOf, finalReport, jsonReport, writtenReport } from './create-report.ts'
import { failedOutput, printError, printJson } from './output.ts'
import {
  type AnswerFlags,
  answersSchema,
  completeAnswers,
  mergeAnswers,
  parseFlags,
  readAnswersFile,
} from './resolve-answers.ts'

/** The flags of the command that creates a project. */
export interface CreateFlags extends AnswerFlags {
  readonly install: boolean
  readonly git: boolean
  readonly yes?: true
  readonly from?: string
  readonly printSchema?: true
  readonly dryRun?: true
  readonly json?: true
}

/**
 * Runs `create-authsmith [directory]`.
 * @returns the exit code
 * @throws UserError for everything that the user can fix
 */
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
  const merged = mergeAnswers(parseFlags(flags), file)
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

  const failure = failureOf(created)
  if (json) printJson(system, jsonReport(created))
  else system.print(finalReport(created))
  if (failure && !json) {
    for (const line of failedOutput(created.steps)) system.warn(`${line}\n`)
    printError(system, failure)
  }
  return failure ? EXIT.failed : EXIT.done
}

async function askAndWrite(
  system: System,
  given: Place | undefined,
  known: PartialAnswers,
  yes: boolean,
  options: CreateOptions,
): Promise<Written> {
  const answers = await completeAnswers(system, known, yes)
  const place = given ?? parseDirectory(answers.name, system.cwd)
  return (
    resume(system, place, answers, options) ??
    write(system, inspectTarget(system.fs, place), answers, options)
  )
}

/** Continues an interrupted creation, unless the user now gives other answers. */
function resume(
  { fs, isAlive }: System,
  target: Place,
  known: PartialAnswers,
  options: CreateOptions,
): Written | undefined {
  const answers = findUnfinished(fs, target, isAlive)?.manifest.answers
  const isSame = answers && isSameAnswers(answers, { ...answers, ...known })
  return isSame ? { target, answers, options, files: [], kept: [] } : undefined
}
