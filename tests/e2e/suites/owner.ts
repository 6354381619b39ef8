import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { run, succeed } from '../harness/command.ts'
import { newDatabase } from '../harness/database.ts'
import type { Report } from '../harness/project.ts'
import { startService } from '../harness/service.ts'

/** What an owner does next: types README's lines, adds its example routes, a table. Changes the project: comes last. */
export function ownerSuite(project: () => Report, path: string): void {
  const cwd = () => project().directory

  test("npm run dev serves README's example routes and answers its curl lines", async (context) => {
    const hasCurl = await run('curl', ['--version'], { cwd: cwd() }).catch(() => undefined)
    if (!hasCurl) context.skip('curl is not installed')
    const readme = readFileSync(join(cwd(), 'README.md'), 'utf8')
    for (const [, file = '', source = ''] of readme.matchAll(/^```ts\n\/\/ (src\/\S+)\n(.*?)^```$/gms)) {
      mkdirSync(dirname(join(cwd(), file)), { recursive: true })
      writeFileSync(join(cwd(), file), source)
    }
    await succeed('npm', ['run', 'check'], { cwd: cwd() })

    const { env } = await newDatabase(project())
    const service = await startService({ cwd: cwd(), env, command: ['npm', 'run', 'dev'] })
    expect((await service.get('/health/ready')).status).toBe(200)
    const blocks = [...readme.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
    const script = blocks.filter((block) => /\bcurl\b/.test(block)).join('\n')
    expect(script).toContain(path)
    // Each line has to be answered with 2xx.
    const strict = 'set -eo pipefail\ncurl() { command curl --fail-with-body "$@"; }\n'
    const pasted = script.replaceAll('localhost:3000', new URL(service.url).host)
    await succeed('bash', ['-c', strict + pasted], { cwd: cwd(), env })
    await service.stop()
  })

  test('a table of their own gets its migration and is there', async () => {
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
