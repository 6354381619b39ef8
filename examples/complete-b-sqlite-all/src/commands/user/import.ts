import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { withoutValues } from '../../db/dialect.ts'
import { exportFormats, lineOf, ownFormat, whoIs } from '../../import/formats.ts'
import { type ImportedUser, type ImportRun, importUsers, planImport } from '../../import/import-users.ts'
import { readSecondFile } from '../../import/join.ts'
import { type FileRecord, recordsOf } from '../../import/records.ts'
import { createReport } from '../../import/report.ts'
import { importedUser } from '../../schemas/imported-user.ts'
import { CommandError, checked, type UserCommand } from '../user-commands.ts'

/** Records per transaction. In SQLite, the service waits for the end of each. */
const batchSize = 500

/** Between two transactions, in milliseconds: the service tries every 10 to take the lock of SQLite. */
const pauseMs = 15

/** Users of a file. A second run continues one that was interrupted: users who exist stay as they are. */
const command = {
  arguments: ['file'],
  options: {
    format: { type: 'string' },
    with: { type: 'string' },
    map: { type: 'string' },
    invite: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  summary: 'import users with their password hashes, see docs/import.md',
  async run({ config, db, log, now, options }, file) {
    const isDryRun = options['dry-run'] === true
    const isOwnFormat = options.format === undefined
    const format = isOwnFormat ? ownFormat : formatNamed(String(options.format))
    const missing = format.missing?.(config)
    if (missing) throw new CommandError(`Set ${missing}: without it, the imported users cannot log in.`)
    const schema = importedUser({ config, now: now(), isOwnFormat, isInviting: options.invite === true })
    const named = new Set<string>()
    const report = createReport(named)
    const reading = { config, now: now(), note: report.note }
    const source = isOwnFormat ? '' : String(options.format)
    const run: ImportRun = { source, config, now, seen: new Set(), isDryRun }
    const second = await readSecondFile(options.with, format, named)
    const map = isDryRun || options.map === undefined ? undefined : await createMap(String(options.map))

    try {
      for await (const batch of batchesOf(recordsOf(file, format, named))) {
        const users: ImportedUser[] = []
        const refusals = batch.map(({ value }) => {
          try {
            if (typeof value === 'string') return [value]
            const fields = second.join(value)
            users.push(checked(schema, isOwnFormat ? fields : lineOf(format, fields, reading)))
            return undefined
          } catch (error) {
            // A value can be of any kind and depth. It must not end the run.
            return error instanceof CommandError ? error.message.split('\n') : ['Has an unreadable value']
          }
        })
        const outcomes = isDryRun
          ? await planImport(db.read, users, run)
          : await db.transaction((tx) => importUsers(tx, users, run)).catch(refuseConstraint)
        let [ids, at] = ['', 0]
        for (const [index, record] of batch.entries()) {
          const refusal = refusals[index]
          const { status, id, reason } = (!refusal && outcomes[at]) || { status: 'refused' as const }
          report.add(record, status, refusal ?? [reason ?? 'Existed already'], whoIs(format, record.value))
          if (refusal) continue
          const externalId = users[at++]?.origin.externalId
          if (id === undefined) continue
          run.seen.add(id)
          if (externalId !== undefined) ids += `${quoted(externalId)},${id}\n`
        }
        if (isDryRun) continue
        await map?.write(ids)
        const count = outcomes.filter(({ status }) => status === 'created').length
        if (count > 0) log.info({ event: 'users.imported', count }, 'users imported')
        await sleep(pauseMs)
      }
    } finally {
      await map?.close()
    }
    const others = second.rest()
    const text = report.text(isDryRun, others)
    if (report.counts.refused + others.length > 0) throw new CommandError(text)
    return text
  },
} satisfies UserCommand

export default { import: command }

/** @throws CommandError with exit code 2 */
function formatNamed(name: string) {
  const format = Object.hasOwn(exportFormats, name) ? exportFormats[name] : undefined
  if (format) return format
  const names = Object.keys(exportFormats).join(', ')
  throw new CommandError(`There is no format ${JSON.stringify(name)}. Formats: ${names}.`, 2)
}

/**
 * Creates the file of `--map`, which only this account may read: a CSV file of external ids and new ids.
 * @throws CommandError if it exists
 */
async function createMap(file: string): Promise<FileHandle> {
  const map = await open(file, 'wx', 0o600).catch(() => {
    throw new CommandError(`Cannot create the file ${JSON.stringify(file)}. Choose another name.`)
  })
  await map.write('external_id,id\n')
  return map
}

/** @throws CommandError that names the constraint, if one refused a user and it is no name */
function refuseConstraint(error: unknown): never {
  const shown = withoutValues(error)
  if (shown instanceof Error && /\bunique\b/i.test(shown.message)) throw new CommandError(`${shown.message}.`)
  throw error
}

const quoted = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

async function* batchesOf(records: AsyncIterable<FileRecord>): AsyncGenerator<FileRecord[]> {
  let batch: FileRecord[] = []
  for await (const record of records) {
    batch.push(record)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
