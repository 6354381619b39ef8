import { type AddOn, allowedAddOns } from '../answers/add-ons.ts'
import type { Answers, PartialAnswers } from '../answers/answers.ts'
import { EXISTING_USERS, type ExistingUsers } from '../migrations/rows/rule.ts'
import { readProject } from '../project/manifest.ts'
import { FOLDER } from '../project/records.ts'
import { refused, wrongUsage } from '../system/errors.ts'
import type { System } from '../system/system.ts'
import { refuseDirtyTree } from '../tools/clean-tree.ts'
import { ignoredAmong } from '../tools/git.ts'
import { abort } from '../update/abort.ts'
import { refusePending } from '../update/journal/pending.ts'
import { planUpdate, type Update } from '../update/plan/plan.ts'
import { dropUpdate, finish, update } from '../update/transaction.ts'
import { type AddOnFlags, addOnLines, switchedAddOns, unchangedNotes } from './add-on-flags.ts'
import { coloredDiff } from './diff.ts'
import { printResult } from './output.ts'
import { type Diffs, diffsOf, planResult } from './plan-report.ts'
import { askAnswers, askForAddOns } from './prompts.ts'
import { type AnswerFlags, completeAnswers, mergeAnswers, parseFlags } from './resolve-answers.ts'
import { type Ended, endResult } from './update-report.ts'

export interface RegenerateFlags extends AnswerFlags, AddOnFlags {
  readonly install: boolean
  readonly existingUsers: ExistingUsers
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

/** Runs `create-authsmith regenerate`. @returns the exit code. @throws UserError */
export async function regenerateCommand(flags: RegenerateFlags, system: System): Promise<number> {
  const { json = false, diff = false, check = false, yes = false } = flags
  const { install, existingUsers, dryRun = diff } = flags
  const given = parseFlags(flags)
  const project = readProject(system.fs, system.cwd)
  const end = (ended: Omit<Ended, 'project'>) => printResult(system, json, endResult({ ...ended, project }))
  if (flags.forget) return end({ ...dropUpdate(system, project, yes), kind: 'forget' })
  if (flags.abort) return end({ ...(await abort(system, project, yes)), kind: 'abort' })
  if (flags.continue) return end({ ...(await finish(system, project, install)), kind: 'continue' })
  await refuseUnready(system, project.path, flags)

  const isAsked = system.interactive && !json && !yes && !check
  const asking = { ...system, interactive: isAsked }
  const to = await switchedAnswers(asking, given, flags, project.manifest.answers)
  const plan = planUpdate(system, project, { to, existingUsers })
  const unchanged = plan.isEmpty ? [] : unchangedNotes(project.manifest.answers, flags)
  const planned = { ...plan, notes: [...plan.notes, ...unchanged] }
  if (dryRun || check || planned.isEmpty) {
    const diffs: Diffs = dryRun ? diffsOf(planned) : new Map()
    if (diff && !json && diffs.size > 0) system.print([...diffs.values()].map(coloredDiff).join('\n'))
    return printResult(system, json, planResult(planned, project, { dryRun, check, diffs }))
  }
  if (!yes) refuseUntranslated(planned)
  const ended = { ...(await update(system, project, planned, install)), kind: 'update', planned } as const
  const written = planned.pending.changes.flatMap(({ path, after }) => (after ? path : []))
  const ignored = await ignoredAmong(system, project.path, [`${FOLDER}/base.json`, ...written])
  return printResult(system, json, { ...endResult({ ...ended, project }), ignored })
}

/**
 * What cannot be updated now is refused before the first question.
 * @throws UserError (refused)
 */
async function refuseUnready(system: System, path: string, flags: Partial<RegenerateFlags>): Promise<void> {
  refusePending(system.fs, path)
  const { allowDirty, check, diff, dryRun } = flags
  if (!dryRun && !diff && !check && !allowDirty) await refuseDirtyTree(system, path)
}

/**
 * A table that is not in the new database fails in the first request that needs it, long after the switch.
 * @throws UserError (refused)
 */
function refuseUntranslated({ untranslated }: Update): void {
  if (untranslated.length === 0) return
  throw refused(
    `The new database would not get all of your tables. ${untranslated.join('. ')}. To switch without them, pass \`--yes\`.`,
  )
}

/** Flags override the present answers. Without such a flag, a terminal asks for all, else for a missing profile. */
async function switchedAnswers(system: System, given: PartialAnswers, flags: AddOnFlags, present: Answers) {
  const isAsked = system.interactive && Object.keys(given).length === 0 && !flags.add && !flags.remove
  const { name, packageManager } = present
  const known = isAsked ? await askAnswers(system, { name, packageManager }, present) : given
  const to = await completeAnswers(system, mergeAnswers(known, { ...present, addOns: [] }), false)
  return known.addOns ? to : { ...to, addOns: switchedAddOns(present, to, flags) }
}

/** The flags of `add` and `remove`. */
export type ChangeFlags = Pick<RegenerateFlags, 'allowDirty' | 'diff' | 'dryRun' | 'install' | 'json' | 'yes'>

/**
 * Runs `create-authsmith add` or `remove`: an update as `regenerate --add` makes it. Without names, a terminal asks.
 * @returns the exit code
 * @throws UserError
 */
export async function addOnCommand(
  kind: 'add' | 'remove',
  names: readonly string[],
  flags: ChangeFlags,
  system: System,
): Promise<number> {
  const update = (given: readonly string[]) =>
    regenerateCommand({ ...flags, existingUsers: EXISTING_USERS[0], [kind]: given }, system)
  if (names.length > 0) return update(names)
  const { path, manifest } = readProject(system.fs, system.cwd)
  const { answers } = manifest
  const choices =
    kind === 'add'
      ? allowedAddOns(answers).filter((addOn) => !answers.addOns.includes(addOn))
      : answers.addOns
  if (choices.length > 0 && system.interactive && !flags.yes && !flags.json) {
    await refuseUnready(system, path, flags)
    return update(await askForAddOns(system, `Add-ons to ${kind}`, choices))
  }
  return printResult(system, flags.json, {
    failure: wrongUsage(missingNames(kind, choices)),
    details: choices.length > 0 ? addOnLines(choices) : [],
    text: '',
    members: { addOns: choices },
  })
}

function missingNames(kind: 'add' | 'remove', choices: readonly AddOn[]): string {
  if (choices.length > 0) return `Missing the add-ons to ${kind}. Pass one of: ${choices.join(', ')}.`
  return kind === 'add' ? 'The project has every add-on that it can have.' : 'The project has no add-ons.'
}
