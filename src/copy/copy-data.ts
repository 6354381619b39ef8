import { readFolder } from '../migrations/drizzle-kit/folder.ts'
import { migrationsIn } from '../migrations/drizzle-kit/on-disk.ts'
import { readProject } from '../project/manifest.ts'
import { failed, interrupted, UserError } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { parseAddress, refuseForeignFiles, refuseOtherKind } from './address.ts'
import { type CopyResult, type CopyStep, copyRows, refuseRows } from './copy.ts'
import { messageOf, type Source, type Target } from './database.ts'
import { driversOf } from './driver.ts'
import { refuseOlderSource } from './history.ts'
import { openSource } from './source.ts'
import { openTarget } from './target.ts'

/** The flags of `copy-data`. */
export interface CopyRequest {
  readonly from: string
  readonly to: string
  /** Tables to leave out, and columns as `table.column`. */
  readonly skip?: readonly string[]
}

const NOTHING = 'Nothing was copied.'

/**
 * Copies all rows into a database of the project that contains `system.cwd`. Reads the project's manifest and
 * migrations. Of its code, it runs only the database driver.
 * @throws UserError if the copy is not possible; then the target has no rows
 */
export async function copyData(request: CopyRequest, system: System): Promise<CopyResult> {
  const project = readProject(system.fs, system.cwd)
  const from = parseAddress('--from', request.from, system.cwd)
  const to = parseAddress('--to', request.to, system.cwd)
  const { answers, migrated } = project.manifest
  refuseOtherKind(to, answers.database)
  const migrationsOf = (kind: typeof from.kind) =>
    readFolder(migrationsIn(project.tree, kind), kind).migrations
  const skip = new Set(request.skip)
  const drivers = driversOf(system, project.path)
  let endProgress = () => {}
  const open: { source?: Source; target?: Target } = {}

  const copy = async (): Promise<CopyResult> => {
    const openFrom = async () => {
      const source = await openSource(await drivers.load(from.kind), from)
      open.source = source
      const past = migrated[from.kind] === 0 ? undefined : migrationsOf(from.kind)
      await refuseOlderSource(source, past, project.manifest)
      return source
    }
    const openTo = async () => {
      const target = await openTarget(await drivers.load(to.kind), to)
      open.target = target
      await refuseRows(target, skip)
      return target
    }
    refuseForeignFiles(system.fs, from, to)
    // A server first: its driver needs no compiler, and what is wrong with it is said before the other one compiles.
    const early = to.kind === 'postgres' ? await openTo() : undefined
    const source = await openFrom()
    const target = early ?? (await openTo())
    await target.migrate(migrationsOf(to.kind))
    const notes = await target.begin()
    // Again, because another process may have written rows before the transaction.
    await refuseRows(target, skip)
    for (const note of notes) system.warn(`${visible(note)}\n`)
    let text = 'Copying'
    endProgress = system.progress(() => text)
    const progress = ({ table, done, total }: CopyStep) => {
      // Without a terminal, each text is a line.
      const share = system.hasTerminal ? `: ${Math.floor((100 * done) / total)} %` : ''
      text = `Copying ${visible(table)}${share}`
    }
    return copyRows(source, target, { skip, progress })
  }

  try {
    system.warn('Stop the service before you copy: what it writes from now on is not copied.\n')
    const result = await unlessInterrupted(system.signal, copy())
    await open.target?.commit()
    return result
  } catch (error) {
    const { code, message } = error instanceof UserError ? error : failed(messageOf(error))
    throw new UserError(code, code === 'interrupted' ? message : `${message.replace(/\.?$/, '.')} ${NOTHING}`)
  } finally {
    endProgress()
    // After an interruption a connection may be busy. It closes when the process ends, which rolls back its
    // transaction.
    for (const database of [open.target, open.source]) await database?.close().catch(() => {})
    drivers.remove()
  }
}

/** Makes Ctrl-C take effect immediately, even while a query is running. */
function unlessInterrupted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  const stopped = new Promise<never>((_resolve, reject) => {
    const stop = () => reject(interrupted(`Interrupted. ${NOTHING}`))
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
  })
  return Promise.race([work, stopped])
}
