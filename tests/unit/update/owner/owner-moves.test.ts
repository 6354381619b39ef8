// Covers src/update/owner/owner-moves.ts.
import { describe, expect, it } from 'vitest'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../../support/small-project.ts'
import { jsonOf } from '../../cli/outcomes.ts'

const GENERATED = `import { users } from '../db/users.ts'
import { check } from './check.ts'

export async function login(name: string, password: string) {
  const user = await users.find(name)
  if (!user) return undefined
  const isRight = await check(password, user.hash)
  if (!isRight) return undefined
  return user
}
`
/** What the newer version generates. */
const NEWER = GENERATED.replace('  return user\n', '  await users.touch(user)\n  return user\n')
/** The same files after a move from src/accounts/ to src/features/auth/, as an editor changes imports. */
const atHome = (text: string) =>
  text.replace('../db/users.ts', '../../db/users.ts').replace('./check.ts', '../../accounts/check.ts')
const HOME = 'src/features/auth/login.ts'

/** A project of which the newer version changes src/accounts/login.ts, which the owner has elsewhere. */
async function moved(own: Record<string, string>, newer: string | undefined = NEWER): Promise<SmallMemory> {
  const memory = await smallProject()
  const { volume } = memory
  const path = `${PROJECT}/.authsmith/base.json`
  const base = JSON.parse(volume.readFileSync(path, 'utf8') as string)
  base.files['src/accounts/login.ts'] = GENERATED
  volume.fromJSON({
    [path]: JSON.stringify(base),
    '/blueprints/core/all/src/accounts/login.ts': newer,
    ...Object.fromEntries(Object.entries(own).map(([file, text]) => [`${PROJECT}/${file}`, text])),
  })
  return memory
}

const update = (memory: SmallMemory) => runSmall(memory, ['regenerate', '--no-install'])
const read = ({ volume }: SmallMemory, path: string) => volume.readFileSync(`${PROJECT}/${path}`, 'utf8')

describe('a file that the owner moved', () => {
  it('is updated at its new path, and stays missing at the old one', async () => {
    const memory = await moved({ [HOME]: atHome(GENERATED) })
    const json = jsonOf(await runSmall(memory, ['regenerate', '--no-install', '--json']))
    expect(json.files).toContainEqual({
      path: HOME,
      action: 'update',
      detail: 'moved from src/accounts/login.ts',
    })
    expect(json.files.map(({ path }: { path: string }) => path)).not.toContain('src/accounts/login.ts')
    expect(read(memory, HOME)).toBe(atHome(NEWER))
    expect(memory.fs.existsSync(`${PROJECT}/src/accounts/login.ts`)).toBe(false)
    expect((await runSmall(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })

  it('is found after a formatter laid it out anew', async () => {
    const reformatted = atHome(GENERATED)
      .replaceAll("'", '"')
      .replace(/(?<=[^{}\n])$/gm, ';')
      .replace('(name: string, password: string)', '(\n\t\tname: string,\n\t\tpassword: string,\n\t)')
      .replaceAll('\n  ', '\n\t')
    const memory = await moved({ [HOME]: reformatted })
    const status = JSON.parse((await runSmall(memory, ['status', '--json'])).stdout)
    expect(status.moved).toEqual([{ from: 'src/accounts/login.ts', to: HOME }])
    expect([...status.deleted, ...status.yours]).not.toContain(HOME)
    expect(status.deleted).not.toContain('src/accounts/login.ts')
    expect((await runSmall(memory, ['status'])).stdout).toContain(`  src/accounts/login.ts → ${HOME}\n`)
    expect((await update(memory)).stdout).not.toContain('deleted by you')
    expect(read(memory, HOME)).toContain('await users.touch(user)')
  })

  it('is merged with the edits of the owner', async () => {
    const edited = atHome(GENERATED).replace('  const user =', '  // Ours.\n  const user =')
    const memory = await moved({ [HOME]: edited })
    const { stdout, exitCode } = await update(memory)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`  merged with your changes: ${HOME} (moved from src/accounts/login.ts)\n`)
    expect(read(memory, HOME)).toBe(atHome(NEWER).replace('  const user =', '  // Ours.\n  const user ='))
  })

  it('gets conflict markers where both changed the same line', async () => {
    const memory = await moved({ [HOME]: atHome(GENERATED).replace('  return user\n', '  return user.id\n') })
    expect(await update(memory)).toMatchObject({ exitCode: 4 })
    expect(read(memory, HOME)).toContain('<<<<<<< yours\n')
  })

  it('keeps an import of a file that moved with it', async () => {
    const memory = await moved({})
    const base = JSON.parse(read(memory, '.authsmith/base.json') as string)
    const check = GENERATED.replace('login', 'check')
    base.files['src/accounts/check.ts'] = check
    memory.volume.fromJSON({
      '/blueprints/core/all/src/accounts/check.ts': check,
      [`${PROJECT}/.authsmith/base.json`]: JSON.stringify(base),
      [`${PROJECT}/src/lib/accounts/login.ts`]: GENERATED.replace('../db/', '../../db/'),
      [`${PROJECT}/src/lib/accounts/check.ts`]: check.replace('../db/', '../../db/'),
    })
    const added = "import { log } from './log.ts'\n"
    memory.volume.writeFileSync(
      '/blueprints/core/all/src/accounts/login.ts',
      NEWER.replace('\nexport', `${added}\nexport`),
    )
    expect((await update(memory)).exitCode).toBe(0)
    const text = read(memory, 'src/lib/accounts/login.ts')
    expect(text).toContain("from '../../db/users.ts'\nimport { check } from './check.ts'\n")
    expect(text).toContain("from '../../accounts/log.ts'\n")
  })

  it('is followed by each update', async () => {
    const memory = await moved({ [HOME]: atHome(GENERATED) })
    await update(memory)
    const newest = NEWER.replace('touch', 'touchNow')
    memory.volume.writeFileSync('/blueprints/core/all/src/accounts/login.ts', newest)
    await update(memory)
    expect(read(memory, HOME)).toBe(atHome(newest))
  })

  it.each<[string, Record<string, string>]>([
    ['nothing is like it', { [HOME]: 'export const login = 1\n' }],
    [
      'only some lines are',
      { [HOME]: `${GENERATED.split('\n').slice(0, 6).join('\n')}\n  return others()\n}\n` },
    ],
    ['two files are', { [HOME]: atHome(GENERATED), 'src/copy/deep/login.ts': atHome(GENERATED) }],
    ['a file of another kind is', { 'src/features/auth/login.txt': GENERATED }],
    ['its path is one that no update writes', { 'src/fea tures/login.ts': GENERATED }],
  ])('stays deleted if %s', async (_, own) => {
    const memory = await moved(own)
    const { stdout, exitCode } = await update(memory)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('deleted by you, stays deleted: src/accounts/login.ts\n')
    for (const [path, text] of Object.entries(own)) expect(read(memory, path)).toBe(text)
  })

  it('is left alone if the new version did not change it', async () => {
    const memory = await moved({ [HOME]: atHome(GENERATED) }, GENERATED)
    const { stdout } = await runSmall(memory, ['regenerate', '--check'])
    expect(stdout).toContain('nothing to do')
  })
})
