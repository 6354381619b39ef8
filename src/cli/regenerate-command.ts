import type { Answers } from '../answers/answers.ts'
import type { ExistingUsers } from '../migrations/rows/rule.ts'
import { readProject } from '../project/manifest.ts'
import { EXIT, UserError } from '../system/errors.ts'
import type { System } from '../system/system.ts'
import { refuseDirtyTree } from '../tools/clean-tree.ts'
import { abort } from '../update/journal/abort.ts'
import { pendingFault, readPending } from '../update/journal/pending.ts'
import { dropUpdate, finish, update } from '../update/journal/transaction.ts'
import { planUpdate, type Update } from '../update/plan/plan.ts'
import { coloredDiff } from './diff.ts'
import { printError, printJson } from './output.ts'
import { diffsOf, jsonUpdate, MUST_ACT, planReport } from './plan-report.ts'
import { askAnswers } from './prompts.ts'
import { type AnswerFlags, completeAnswers, mergeAnswers, parseFlags } from './resolve-answers.ts'
import { type Ended, endReport, failureOf, jsonEnd } from './update-report.ts'

/** The flags of `regenerate`. */
export interface RegenerateFlags extends AnswerFlags {
  readonly install: boolean
  readonly existingUsers: ExistingUsers
  readonly forgetFormer?: true
  readonly dryRun?: true
  readonly diff?: true
  readonly check?: true
  readonly continue?: true
  readonly abort?: true
  readonly forget?: true
  readonly allowDirty?: true
  readonly yes?: true
  readonly json?: true
}

/**
 * Runs `create-authsmith regenerate`.
 * @returns the exit code
 * @throws UserError for everything that the user can fix
 */
export async function regenerateCommand(flags: RegenerateFlags, system: System): Promise<number> {
  const { json = false, diff = false, check = false, yes = false, forgetFormer = false } = flags
  const { install, existingUsers, dryRun = diff } = flags
  const given = parseFlags(flags)
  const project = readProject(system.fs, system.cwd)
  if (flags.forget)
    return report(system, json, { ...dropUpdate(system, project, yes), project, kind: 'forget' })
  const pending = readPending(system.fs, project.path)

  if (flags.abort) {
    const outcome = await abort(system, project, yes)
    return report(system, json, { ...outcome, project, kind: 'abort' })
  }
  if (flags.continue)
    return report(system, json, {
      ...(await finish(system, project, install)),
      project,
      kind: 'continue',
    })
  if (pending) throw pendingFault(pending)
  if (!dryRun && !check && !flags.allowDirty) await refuseDirtyTree(system, project.path)

  const isAsked = system.interactive && !json && !yes && !check && !forgetFormer
  const to = await switchedAnswers({ ...system, interactive: isAsked }, given, project.manifest.answers)
  const planned = planUpdate(system, project, { to, existingUsers, forgetFormer })
  if (dryRun || check || planned.isEmpty) {
    const mustAct = check && !planned.isEmpty
    const diffs = dryRun ? diffsOf(planned) : new Map()
    if (json) printJson(system, jsonUpdate(planned, project, { dryRun, check, diffs }))
    else {
      if (diff && diffs.size > 0) system.print([...diffs.values()].map(coloredDiff).join('\n'))
      system.print(planReport(planned, project, diffs))
    }
    if (mustAct && !json) printError(system, MUST_ACT)
    return mustAct ? EXIT.refused : EXIT.done
  }
  if (!yes) refuseUntranslated(planned)
  const outcome = await update(system, project, planned, install)
  return report(system, json, { ...outcome, project, kind: 'update', planned })
}

/**
 * A table that is not in the new database fails in the first request that needs it, long after the switch.
 * @throws UserError (refused)
 */
function refuseUntranslated({ untranslated }: Update): void {
  if (untranslated.length === 0) return
  throw new UserError(
    'refused',
    `The new database would not get all of your tables. ${untranslated.join('. ')}. To switch without them, pass \`--yes\`.`,
  )
}

function report(system: System, json: boolean, ended: Ended): number {
  const { exitCode, failure } = failureOf(ended)
  if (json) printJson(system, jsonEnd(ended))
  else system.print(endReport(ended))
  if (failure && !json) printError(system, failure)
  return exitCode
}

/**
 * The answers to switch to: flags override the current ones. Without such a flag, a terminal prompts for all answers,
 * with the current ones selected; otherwise only for a missing profile.
 */
async function switchedAnswers(
  system: System,
  given: ReturnType<typeof parseFlags>,
  present: Answers,
): Promise<Answers> {
  const { name, packageManager } = present
  const known =
    system.interactive && Object.keys(given).length === 0
      ? await askAnswers(
          await system.prompts(),
          { name, packageManager },
          packageManager,
          system.signal,
          present,
        )
      : given
  return completeAnswers(system, mergeAnswers(known, present), false)
}
