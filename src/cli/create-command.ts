import { create } from '../create/create.ts'
import { inspectTarget, parseDirectory } from '../create/target.ts'
import { EXIT } from '../system/errors.ts'
import { refuseMissingDirectory } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { answersSchema, readAnswersFile } from './answers-file.ts'
import { failureOf, jsonReport, textReport } from './create-report.ts'
import type { CreateFlags } from './flags.ts'
import { printError, printJson } from './output.ts'
import { completeAnswers, mergeAnswers, parseFlags } from './resolve-answers.ts'
import { failedOutput } from './tool-report.ts'

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
  const { from, json, install, git, dryRun = false } = flags
  if (flags.printSchema) {
    printJson(system, answersSchema())
    return EXIT.done
  }
  refuseMissingDirectory(system.cwd)
  const file = from === undefined ? {} : readAnswersFile(system.fs, system.cwd, from)
  const known = mergeAnswers(parseFlags(flags), file)
  const given = directory === undefined ? undefined : parseDirectory(directory, system.cwd)
  // Checked before the prompts, so that users do not answer all of them for a directory that is taken.
  if (given) inspectTarget(system.fs, given)

  const asking: System = json ? { ...system, interactive: false } : system
  const named = given ? { ...known, name: given.name } : known
  const answers = await completeAnswers(asking, named, flags.yes ?? false)
  const target = inspectTarget(system.fs, given ?? parseDirectory(answers.name, system.cwd))
  const created = await create(system, target, answers, { install, git, dryRun })

  const failure = failureOf(created)
  if (json) printJson(system, jsonReport(created))
  else system.print(textReport(created))
  if (failure && !json) {
    for (const line of failedOutput(created.steps)) system.warn(`${line}\n`)
    printError(system, failure)
  }
  return failure ? EXIT.failed : EXIT.done
}
