import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { newDatabase } from '../harness/database.ts'

/** Adds a table as an owner would. Must run last, because it changes the project. */
export function ownerSuite(project: () => Report): void {
  const cwd = () => project().directory

  test('a table added by the owner gets a migration and exists in the database', async () => {
    const { env, write, rows } = await newDatabase(project())
    const npmRun = (script: string) => succeed('npm', ['run', script], { cwd: cwd(), env })
    const migrations = () =>
      readdirSync(join(cwd(), 'migrations', project().answers.database ?? '')).filter((file) =>
        file.endsWith('.sql'),
      )
    await npmRun('db:migrate')
    const before = migrations()
    writeFileSync(
      join(cwd(), 'src/db/schema/invoices.ts'),
      "import { id, table, text } from '../dialect.ts'\n\nexport const invoices = table('invoices', { id: id(), reference: text('reference').notNull() })\n",
    )
    await npmRun('db:generate')
    expect(migrations()).toHaveLength(before.length + 1)
    await npmRun('db:migrate')

    await write("INSERT INTO invoices (reference) VALUES ('2026-1')")
    expect(await rows('SELECT * FROM invoices')).toEqual([{ id: 1, reference: '2026-1' }])
    expect((await npmRun('db:generate')).stdout).toContain('No schema changes')
  })
}
