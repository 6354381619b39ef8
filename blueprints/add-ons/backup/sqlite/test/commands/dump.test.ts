import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { dump } from '../../src/commands/dump.ts'
import { connect } from '../../src/db/database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// SQLite's backup API copies a few pages at a time, and starts again after each write. Under 10 writes a second, the backup
// of a database of 200 MB never ended.
test('writes do not restart a backup', async () => {
  const folder = await temporaryFolder()
  const settings = { file: join(folder, 'app.db'), busyTimeoutMs: 0 }
  const connection = connect(settings)
  connection.exec('CREATE TABLE a (text); INSERT INTO a VALUES (zeroblob(4000000))')
  let writes = 0
  let next: NodeJS.Immediate
  const writeInEachTurn = () => {
    writes += 1
    connection.exec('INSERT INTO a VALUES (1)')
    if (writes < 1_000) next = setImmediate(writeInEachTurn)
  }
  writeInEachTurn()
  onTestFinished(() => {
    clearImmediate(next)
    connection.close()
  })
  const target = join(folder, 'backup')
  await writeFile(target, '')
  await dump(settings, target)
  expect(writes).toBeLessThan(1_000)
})
