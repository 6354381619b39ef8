import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { environment } from '../support/environment.ts'
import { filesBelow, newFolder } from '../support/folder.ts'
import { KEYS, startInTerminal, terminalMissing } from '../support/terminal.ts'

const QUICK = ['--no-install', '--no-git']
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color is an escape sequence.
const COLOR = /\u001b\[(3[0-7]|9[0-7])m/

/** The mode and profile of a created project, such as "basic A". */
function variant(folder: string): string {
  const files = filesBelow(folder)
  if (!files.has('src/routes/api/v1/auth/login.ts')) return 'none'
  const mode = files.has('src/routes/api/v1/auth/refresh.ts') ? 'complete' : 'basic'
  return `${mode} ${files.get('.env.example')?.includes('JWT_SECRET_KEY=') ? 'B' : 'A'}`
}

describe('in a real terminal', () => {
  let cwd: string
  beforeEach(async (context) => {
    cwd = newFolder()
    const missing = await terminalMissing(cwd)
    if (missing) context.skip(missing)
  })
  const session = (args: string[], env: Record<string, string> = {}) =>
    startInTerminal(inject('bin'), args, { cwd, env })

  test('asks for everything, and Enter accepts the defaults', async () => {
    const terminal = session(QUICK)
    await terminal.until(/Project name/)
    terminal.type(`shop${KEYS.enter}`)
    await terminal.until(/Authentication/)
    await terminal.until(/none +no accounts/)
    await terminal.until(/basic +registration, login/)
    await terminal.until(/❯ complete +basic with emails.*\(recommended\)/)
    terminal.type(KEYS.enter)
    await terminal.until(/Profile/)
    await terminal.until(/A +link in the email, bcrypt/)
    await terminal.until(/❯ B +code in the email, argon2id, devices/)
    terminal.type(KEYS.enter)
    await terminal.until(/Database/)
    terminal.type(KEYS.enter)
    await terminal.until(/Add-ons/)
    await terminal.until(/◉ pages +pages to register/)
    terminal.type(KEYS.enter)
    await terminal.until(/Package manager/)
    terminal.type(KEYS.enter)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(terminal.text()).toContain('(complete, B, sqlite + cookies, pages)')
    expect(terminal.text()).toMatch(/Wrote \d+ files/)
    expect(terminal.text()).toContain('create-authsmith shop --mode complete --profile B')
    expect(terminal.shown()).toMatch(COLOR)
    expect(variant(join(cwd, 'shop'))).toBe('complete B')
  })

  test('arrow keys select; mode none does not ask for a profile', async () => {
    const terminal = session(['my-api', ...QUICK])
    await terminal.until(/Authentication/)
    terminal.type(KEYS.up)
    await terminal.until(/❯ basic/)
    terminal.type(KEYS.up)
    await terminal.until(/❯ none/)
    terminal.type(KEYS.enter)
    await terminal.until(/Database/)
    terminal.type(KEYS.enter)
    await terminal.until(/Add-ons/)
    terminal.type(KEYS.enter)
    await terminal.until(/Package manager/)
    terminal.type(KEYS.down)
    await terminal.until(/❯ pnpm/)
    terminal.type(KEYS.enter)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(terminal.text()).not.toContain('Profile')
    expect(terminal.text()).toContain('create-authsmith my-api --mode none')
    expect(variant(join(cwd, 'my-api'))).toBe('none')
  })

  test('a list leads back to the question before', async () => {
    const answered = ['--mode', 'basic', '--add', 'none', '--package-manager', 'npm']
    const terminal = session(['my-api', ...answered, ...QUICK])
    await terminal.until(/Profile/)
    await terminal.until(/❯ B/)
    terminal.type(KEYS.enter)
    await terminal.until(/Database/)
    await terminal.until(/go back/)
    terminal.type(KEYS.up)
    await terminal.until(/❯ go back/)
    terminal.type(KEYS.enter)
    await terminal.until(/Database go back[\s\S]*❯ B/)
    terminal.type(KEYS.up)
    await terminal.until(/❯ A/)
    terminal.type(KEYS.enter)
    await terminal.until(/Profile A[\s\S]*❯ sqlite/)
    terminal.type(KEYS.enter)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(variant(join(cwd, 'my-api'))).toBe('basic A')
  })

  test('asks only for answers that the flags do not give', async () => {
    const terminal = session([
      'my-api',
      '--mode',
      'basic',
      '--database',
      'sqlite',
      '--add',
      'none',
      '--package-manager',
      'npm',
      ...QUICK,
    ])
    await terminal.until(/Profile/)
    terminal.type(KEYS.up)
    await terminal.until(/bcrypt/)
    terminal.type(KEYS.enter)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(terminal.text()).not.toMatch(/Authentication|Database|Package manager/)
    expect(variant(join(cwd, 'my-api'))).toBe('basic A')
  })

  test('an invalid name is explained and asked for again', async () => {
    const answered = ['--mode', 'none', '--database', 'sqlite', '--add', 'none', '--package-manager', 'npm']
    const terminal = session([...answered, ...QUICK])
    await terminal.until(/Project name/)
    terminal.type(`Bad Name${KEYS.enter}`)
    await terminal.until(/The directory "Bad Name" ends with/)
    terminal.type(`${'\u007f'.repeat(8)}good${KEYS.enter}`)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(readdirSync(cwd)).toEqual(['good'])
  })

  test.each([0, 1, 2, 3, 4, 5])(
    'Ctrl-C after %d answers exits with 130 and writes nothing',
    async (answers) => {
      const terminal = session(QUICK)
      const questions = [
        /Project name/,
        /Authentication/,
        /Profile/,
        /Database/,
        /Add-ons/,
        /Package manager/,
      ]
      for (const [n, question] of questions.slice(0, answers + 1).entries()) {
        await terminal.until(question)
        terminal.type(n < answers ? KEYS.enter : KEYS.ctrlC)
      }
      expect(await terminal.ended).toMatchObject({ code: 130 })
      expect(terminal.text()).toContain('Interrupted. Nothing was written.')
      expect(terminal.text()).not.toMatch(/^\s+at /m)
      expect(readdirSync(cwd)).toEqual([])
    },
  )

  test('the install shows its seconds; Ctrl-C exits with 130, and the project stays', async () => {
    const programs = newFolder()
    writeFileSync(join(programs, 'npm'), '#!/bin/sh\necho waiting >&2\nexec sleep 600\n', { mode: 0o755 })
    const terminal = session(['my-api', '--mode', 'none', '--yes', '--no-git'], {
      PATH: programs + delimiter + environment().PATH,
    })
    await terminal.until(/Wrote \d+ files[\s\S]*Running npm install/)
    await terminal.until(/Running npm install \(\d+ s\)/)
    terminal.type(KEYS.ctrlC)
    const { code } = await terminal.ended
    expect(terminal.text()).toContain('Interrupted')
    expect(code).toBe(130)
    expect(terminal.text()).toContain('To finish, run: cd my-api && npm install')
    expect(existsSync(join(cwd, 'my-api/package.json'))).toBe(true)
  })

  test('add and remove ask which add-ons; space selects', async () => {
    await session(['my-api', '--mode', 'none', '--yes', ...QUICK]).ended
    cwd = join(cwd, 'my-api')
    const adding = session(['add', '--no-install'])
    await adding.until(/Add-ons to add/)
    await adding.until(/backup +db:backup/)
    adding.type(`${KEYS.down} ${KEYS.enter}`)
    expect(await adding.ended).toMatchObject({ code: 0 })
    expect(adding.text()).toContain('my-api is none, sqlite + metrics now')
    expect(existsSync(join(cwd, 'docs/metrics.md'))).toBe(true)
    const removing = session(['remove', '--no-install'])
    await removing.until(/Add-ons to remove/)
    removing.type(` ${KEYS.enter}`)
    expect(await removing.ended).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'docs/metrics.md'))).toBe(false)
    const stopped = session(['add'])
    await stopped.until(/Add-ons to add/)
    stopped.type(KEYS.ctrlC)
    expect(await stopped.ended).toMatchObject({ code: 130 })
  })

  test('shows the changes of a switch in color, and the summary after them', async () => {
    await session(['my-api', '--mode', 'none', '--yes', ...QUICK]).ended
    cwd = join(cwd, 'my-api')
    const terminal = session(['regenerate', '--mode', 'basic', '--profile', 'B', '--diff'])
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(terminal.text()).toMatch(/\+\+\+ b\/[\s\S]*Nothing was changed/)
    expect(terminal.shown()).toMatch(COLOR)
  })

  test.each<[string, string[], Record<string, string>]>([
    ['NO_COLOR', [], { NO_COLOR: '1' }],
    ['--no-color', ['--no-color'], {}],
  ])('%s removes color from the output', async (_, flags, env) => {
    const answered = ['--mode', 'basic', '--database', 'sqlite', '--add', 'none', '--package-manager', 'npm']
    const terminal = session(['my-api', ...answered, ...flags, ...QUICK], env)
    await terminal.until(/Profile/)
    terminal.type(KEYS.enter)
    expect(await terminal.ended).toMatchObject({ code: 0 })
    expect(terminal.shown()).not.toMatch(COLOR)
  })

  test('with CI set it does not prompt: a missing answer is a usage error', async () => {
    const terminal = session(['my-api'], { CI: 'true' })
    expect(await terminal.ended).toMatchObject({ code: 2 })
    expect(terminal.text()).toContain('--mode')
    expect(readdirSync(cwd)).toEqual([])
  })

  test('--json does not prompt either', async () => {
    const terminal = session(['my-api', '--json'])
    expect(await terminal.ended).toMatchObject({ code: 2 })
    expect(JSON.parse(terminal.text())).toMatchObject({ ok: false, exitCode: 2 })
  })
})
