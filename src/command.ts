import { answersSchema, readAnswersFile } from './answers-file.ts'
import { type Flags, parseArguments } from './arguments.ts'
import { completeAnswers, mergeAnswers, parseFlags } from './collect.ts'
import { create } from './create.ts'
import { EXIT, UserError } from './errors.ts'
import { visible } from './escape.ts'
import { printJson } from './output.ts'
import { failureOf, failureReport, jsonError, jsonReport, textReport } from './report.ts'
import { inspectTarget, parseDirectory, refuseMissingDirectory } from './target.ts'
import type { World } from './world.ts'

/**
 * Runs the command: prints to the world, and never throws.
 * @param argv the arguments, without node and the script
 * @returns the exit code
 */
export async function main(argv: readonly string[], world: World): Promise<number> {
  // Known before the rest is read, for what is wrong there is reported as JSON too.
  const json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json')
  try {
    const parsed = parseArguments(argv)
    if (parsed.kind === 'create') return await createCommand(parsed.directory, parsed.flags, world)
    if (parsed.kind === 'regenerate' || parsed.kind === 'status') {
      const { regenerateCommand, statusCommand } = await import('./project-commands.ts')
      return parsed.kind === 'regenerate'
        ? await regenerateCommand(parsed.flags, world)
        : await statusCommand(parsed.flags.json ?? false, world)
    }
    if (json) printJson(world, { ok: true, exitCode: EXIT.done, [parsed.kind]: parsed.text.trimEnd() })
    else world.print(parsed.text)
    return EXIT.done
  } catch (error) {
    const shown = error instanceof UserError ? error : unexpected(error)
    if (json) printJson(world, jsonError(shown))
    else world.warn(`create-authsmith: ${visible(shown.message)}\n`)
    return EXIT[shown.code]
  }
}

async function createCommand(directory: string | undefined, flags: Flags, world: World): Promise<number> {
  const { mode, profile, database, packageManager, from, json, install, git, dryRun = false } = flags
  if (flags.printSchema) {
    printJson(world, answersSchema())
    return EXIT.done
  }
  refuseMissingDirectory(world.cwd)
  const file = from === undefined ? {} : readAnswersFile(world.fs, world.cwd, from)
  const known = mergeAnswers(parseFlags({ mode, profile, database, packageManager }), file)
  const given = directory === undefined ? undefined : parseDirectory(directory, world.cwd)
  // Before the questions: nobody answers four of them to learn that the directory is taken.
  if (given) inspectTarget(world.fs, given)

  const asking: World = json ? { ...world, interactive: false } : world
  const named = given ? { ...known, name: given.name } : known
  const answers = await completeAnswers(asking, named, flags.yes ?? false)
  const target = inspectTarget(world.fs, given ?? parseDirectory(answers.name, world.cwd))
  const created = await create(world, target, answers, { install, git, dryRun })

  const failure = failureOf(created)
  if (json) printJson(world, jsonReport(created))
  else world.print(textReport(created))
  if (failure && !json) world.warn(failureReport(created.steps, failure))
  return failure ? EXIT.failed : EXIT.done
}

/** A fault of ours, not the user's: the stack's first lines help to report it. */
function unexpected(error: unknown): UserError {
  const { stack, message } = error instanceof Error ? error : new Error(String(error))
  const at =
    stack
      ?.split('\n')
      .find((line) => /^\s+at /.test(line))
      ?.trim() ?? ''
  return new UserError('failed', `unexpected: ${message} ${at}`.trim())
}
