import { execFile } from 'node:child_process'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { addKey } from '../support/keys.ts'
import { settingNames, testSettings } from '../support/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)

/** Runs the command as the script does. */
async function keys(folder: string, args: string[], env: Record<string, string> = {}) {
  const settings = { ...testSettings, [settingNames.algorithm]: 'EdDSA', JWT_KEYS_DIR: folder, ...env }
  const options = { env: { ...process.env, ...settings } }
  const done = run(process.execPath, ['--import', 'tsx', 'src/commands/keys.ts', ...args], options)
  return done.then(
    ({ stdout }) => ({ status: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ status: code, output: `${stdout}${stderr}` }),
  )
}

test('create makes the first key, rotate the next, and list shows both', async () => {
  const folder = join(await temporaryFolder(), 'keys')
  expect(await keys(folder, ['list'])).toEqual({ status: 0, output: '' })
  expect(await keys(folder, ['rotate'])).toEqual({
    status: 1,
    output: `${folder} has no key yet: use create\n`,
  })
  const created = await keys(folder, ['create'])
  expect(created.output).toMatch(/^Key 1-\d{8}T\d{6}Z-[\w-]{8} \(EdDSA\) signs from the next start/)
  expect((await keys(folder, ['create'])).output).toBe(`${folder} has a key already: use rotate\n`)
  const rotated = await keys(folder, ['rotate'], { [settingNames.algorithm]: 'ES256' })
  expect(rotated.output).toMatch(/^Key 2-\S+ \(ES256\) is published, and signs from .+ UTC\.\n$/)

  const [first = '', second = '', ...others] = await readdir(folder)
  expect(others).toEqual([])
  for (const name of [first, second])
    if (process.platform !== 'win32') expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  const { output } = await keys(folder, ['list', '--pem'])
  expect(output).toMatch(/^1-\S+ {2}EdDSA {2}signs\n-----BEGIN PUBLIC KEY-----\n/)
  expect(output).toMatch(/^2-\S+ {2}ES256 {2}signs from .+ UTC\n-----BEGIN PUBLIC KEY-----\n/m)
  expect(output).not.toContain('PRIVATE')
})

test('rotate deletes the keys whose last token has expired', async () => {
  const folder = await temporaryFolder()
  const old = addKey(folder, 1, -400 * 86_400)
  const kid = addKey(folder, 2, -300 * 86_400)
  expect((await keys(folder, ['list'])).output).toMatch(
    new RegExp(`^${old} +EdDSA +expired\n${kid} +EdDSA +signs\n$`),
  )
  expect((await keys(folder, ['rotate'])).output).toContain(
    `Key ${old} is deleted: its last token has expired.`,
  )
  expect(await readdir(folder)).toHaveLength(2)
})

test.each([
  [['create'], { [settingNames.algorithm]: 'HS256' }, 1, 'the algorithm is HS256, which needs no keys'],
  [['create'], { JWT_PRIVATE_KEY: 'x' }, 1, 'JWT_PRIVATE_KEY is set'],
  [['delete'], {}, 2, 'Usage: keys <command>'],
  [['list', '--all'], {}, 2, 'Usage: keys <command>'],
  [[], {}, 2, 'Usage: keys <command>'],
])('keys %j is refused', async (args, env, status, reason) => {
  const folder = await temporaryFolder()
  const done = await keys(folder, args, env as Record<string, string>)
  expect(done.status).toBe(status)
  expect(done.output).toContain(reason)
  expect(await readdir(folder)).toEqual([])
})
