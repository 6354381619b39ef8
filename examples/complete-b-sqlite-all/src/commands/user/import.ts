import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { exportFormats, lineOf } from '../../import/formats.ts'
import {
  findIds,
  type ImportedUser,
  type ImportOutcome,
  importUsers,
  planImport,
  type TakenNames,
} from '../../import/import-users.ts'
import { type FileRecord, recordsOf } from '../../import/records.ts'
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
    map: { type: 'string' },
    invite: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  summary: 'import users with their password hashes, see docs/import.md',
  async run({ config, db, log, now, options }, file) {
    const isDryRun = options['dry-run'] === true
    const format = options.format === undefined ? undefined : formatNamed(String(options.format))
    const missing = format?.missing?.(config)
    if (missing) throw new CommandError(`Set ${missing}: without it, the imported users cannot log in.`)
    const reading = { config, now: now() }
    const schema = importedUser({ ...reading, isOwnFormat: !format, isInviting: options.invite === true })
    const counts: Record<ImportOutcome, number> = { created: 0, exists: 0, taken: 0 }
    const refused: string[] = []
    let formerSuperusers = 0
    const taken: TakenNames = new Map()
    const map = isDryRun || options.map === undefined ? undefined : await createMap(String(options.map))

    try {
      for await (const batch of batchesOf(recordsOf(file, format ?? { isLines: true }))) {
        const users: ImportedUser[] = []
        const lines: number[] = []
        for (const { line, value } of batch) {
          try {
            if (typeof value === 'string') throw new CommandError(value)
            const fields = format ? lineOf(format, value, reading) : value
            users.push(checked(schema, fields))
            lines.push(line)
            if (format && fields.is_superuser === true) formerSuperusers += 1
          } catch (error) {
            if (!(error instanceof CommandError)) throw error
            refused.push(...error.message.split('\n').map((reason) => `Line ${line}: ${reason}`))
          }
        }
        const outcomes = isDryRun
          ? await planImport(db.read, users, { now: now(), taken })
          : await db.transaction((tx) => importUsers(tx, users, { config, now: now() }))
        for (const [at, outcome] of outcomes.entries()) {
          counts[outcome] += 1
          if (outcome === 'taken') refused.push(`Line ${lines[at]}: Email or username already registered`)
        }
        if (isDryRun) continue
        const known = users.filter((_, at) => outcomes[at] !== 'taken').map(({ email }) => email)
        const ids = map && known.length > 0 ? await findIds(db.read, known) : []
        await map?.write(ids.map(([externalId, id]) => `${quoted(externalId)},${id}\n`).join(''))
        const count = outcomes.filter((outcome) => outcome === 'created').length
        if (count > 0) log.info({ event: 'users.imported', count }, 'users imported')
        await sleep(pauseMs)
      }
    } finally {
      await map?.close()
    }

    const done = `${isDryRun ? 'Would import' : 'Imported'} ${counts.created} users. ${counts.exists} existed already.`
    const rights =
      formerSuperusers > 0 ? `\n${formerSuperusers} were superusers elsewhere, and are none here.` : ''
    if (refused.length > 0)
      throw new CommandError([...refused, `${done} Refused the lines above.${rights}`].join('\n'))
    return done + rights
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
