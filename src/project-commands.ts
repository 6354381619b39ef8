import type { Answers } from './answers.ts'
import type { RegenerateFlags } from './arguments.ts'
import { refuseDirtyTree } from './clean-tree.ts'
import { completeAnswers, mergeAnswers, parseFlags } from './collect.ts'
import { EXIT, UserError } from './errors.ts'
import { visible } from './escape.ts'
import { readProject } from './manifest.ts'
import { printJson } from './output.ts'
import { planUpdate } from './plan-update.ts'
import { askAnswers } from './prompts.ts'
import { abort, finish, pendingFault, readPending, update } from './regenerate.ts'
import { endReport, jsonEnd, jsonUpdate, MUST_ACT, planReport } from './regenerate-report.ts'
import { statusOf } from './status.ts'
import { jsonStatus, textStatus } from './status-report.ts'
import { refuseMissingDirectory } from './target.ts'
import type { World } from './world.ts'

/**
 * `create-authsmith regenerate`.
 * @returns the exit code
 * @throws UserError for all that the user can mend
 */
export async function regenerateCommand(flags: RegenerateFlags, world: World): Promise<number> {
  const { json = false, install, dryRun = false, check = false, yes = false } = flags
  refuseContradictions(flags)
  refuseMissingDirectory(world.cwd)
  const existingUsers = existingUsersOf(flags)
  const given = parseFlags(answerFlags(flags))
  const project = readProject(world.fs, world.cwd)
  const pending = readPending(world, project.path)

  if (flags.continue || flags.abort) {
    const outcome = flags.abort ? abort(world, project, yes) : await finish(world, project, install)
    return end(world, json, { ...outcome, project, kind: flags.abort ? 'abort' : 'continue' })
  }
  if (pending) throw pendingFault(pending)
  if (!dryRun && !check && !flags.allowDirty) await refuseDirtyTree(world, project.path)

  const isAsked = world.interactive && !json && !yes && !check
  const to = await switchedAnswers({ ...world, interactive: isAsked }, given, project.manifest.answers)
  const planned = await planUpdate(world, project, { to, existingUsers })
  if (dryRun || check || planned.isEmpty) {
    const mustAct = check && !planned.isEmpty
    if (json) printJson(world, jsonUpdate(planned, project, { dryRun, check, mustAct }))
    else world.print(planReport(planned, project, { diffs: dryRun }))
    if (mustAct && !json) world.warn(`create-authsmith: ${MUST_ACT}\n`)
    return mustAct ? EXIT.refused : EXIT.done
  }
  const outcome = await update(world, project, planned, install)
  return end(world, json, { ...outcome, project, kind: 'update', planned })
}

/** `create-authsmith status`. */
export async function statusCommand(json: boolean, world: World): Promise<number> {
  refuseMissingDirectory(world.cwd)
  const status = await statusOf(world, readProject(world.fs, world.cwd))
  if (json) printJson(world, jsonStatus(status))
  else world.print(textStatus(status))
  return EXIT.done
}

type End = Parameters<typeof jsonEnd>[0]

function end(world: World, json: boolean, ended: End): number {
  const { text, exitCode, failure } = endReport(ended)
  if (json) printJson(world, jsonEnd(ended))
  else {
    world.print(text)
    if (failure) world.warn(`create-authsmith: ${visible(failure)}\n`)
  }
  return exitCode
}

const answerFlags = ({ mode, profile, database, packageManager }: RegenerateFlags) => ({
  mode,
  profile,
  database,
  packageManager,
})

/** @throws UserError (usage) for flags that mean different things */
function refuseContradictions(flags: RegenerateFlags): void {
  const kinds = (['dryRun', 'check', 'continue', 'abort'] as const).filter((kind) => flags[kind])
  const name = (kind: string) => `--${kind.replace('dryRun', 'dry-run')}`
  if (kinds.length > 1) throw new UserError('usage', `${kinds.map(name).join(' and ')} exclude each other`)
  const [kind] = kinds
  const hasAnswers = Object.values(answerFlags(flags)).some((value) => value !== undefined)
  if (kind && kind !== 'dryRun' && hasAnswers) {
    throw new UserError('usage', `${name(kind)} is about the present answers; leave out the others`)
  }
}

function existingUsersOf({ existingUsers = 'unverified' }: RegenerateFlags): 'unverified' | 'verified' {
  if (existingUsers === 'unverified' || existingUsers === 'verified') return existingUsers
  throw new UserError('usage', '--existing-users must be unverified or verified')
}

/**
 * The answers to switch to: flags over the present ones. In a terminal and without a flag, all are asked, with the present
 * ones chosen; else only a profile that is missing.
 */
async function switchedAnswers(
  world: World,
  given: ReturnType<typeof parseFlags>,
  present: Answers,
): Promise<Answers> {
  const { name, packageManager } = present
  const known =
    world.interactive && Object.keys(given).length === 0
      ? await askAnswers(
          await world.prompts(),
          { name, packageManager },
          packageManager,
          world.signal,
          present,
        )
      : given
  return completeAnswers(world, mergeAnswers(known, present), false)
}
