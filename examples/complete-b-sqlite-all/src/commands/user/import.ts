import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { importedUser } from '../../schemas/imported-user.ts'
import {
  type ImportedUser,
  type ImportOutcome,
  importUsers,
  planImport,
  type TakenNames,
} from '../../users/import.ts'
import { CommandError, checked, type UserCommand } from '../user-commands.ts'

/** Lines per transaction. In SQLite, the service waits for the end of each. */
const batchSize = 500

/** Between two transactions, in milliseconds: the service tries every 10 to take the lock of SQLite. */
const pauseMs = 15

interface Line {
  number: number
  text: string
}

/** One JSON object per line. A second run continues one that was interrupted: users who exist stay as they are. */
export default {
  arguments: ['file'],
  options: { 'dry-run': { type: 'boolean' } },
  summary: 'import users with their password hashes, see docs/import.md',
  async run({ db, log, now, options }, file) {
    const isDryRun = options['dry-run'] === true
    const counts: Record<ImportOutcome, number> = { created: 0, exists: 0, taken: 0 }
    const refused: string[] = []
    const taken: TakenNames = new Map()
    const line = importedUser(now())

    for await (const batch of batchesOf(file)) {
      const users: ImportedUser[] = []
      const numbers: number[] = []
      for (const { number, text } of batch) {
        try {
          users.push(checked(line, parse(text)))
          numbers.push(number)
        } catch (error) {
          if (!(error instanceof CommandError)) throw error
          refused.push(...error.message.split('\n').map((reason) => `Line ${number}: ${reason}`))
        }
      }
      const outcomes = isDryRun
        ? await planImport(db.read, users, { now: now(), taken })
        : await db.transaction((tx) => importUsers(tx, users, now()))
      for (const [index, outcome] of outcomes.entries()) {
        counts[outcome] += 1
        if (outcome === 'taken') refused.push(`Line ${numbers[index]}: Email or username already registered`)
      }
      if (isDryRun) continue
      const count = outcomes.filter((outcome) => outcome === 'created').length
      if (count > 0) log.info({ event: 'users.imported', count }, 'users imported')
      await sleep(pauseMs)
    }

    const done = `${isDryRun ? 'Would import' : 'Imported'} ${counts.created} users. ${counts.exists} existed already.`
    if (refused.length > 0)
      throw new CommandError([...refused, `${done} Refused the lines above.`].join('\n'))
    return done
  },
} satisfies UserCommand

/** @throws CommandError if the file cannot be read */
async function* batchesOf(file: string): AsyncGenerator<Line[]> {
  const handle = await open(file).catch(() => {
    throw new CommandError(`Cannot read the file ${JSON.stringify(file)}.`)
  })
  let batch: Line[] = []
  let number = 0
  for await (const text of handle.readLines()) {
    number += 1
    if (text.trim() !== '') batch.push({ number, text })
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** @throws CommandError */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError('Not a JSON object')
  }
}
