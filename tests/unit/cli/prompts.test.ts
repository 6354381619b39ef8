import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { allowedAddOns } from '../../../src/answers/add-ons.ts'
import { exitPromptError, fakeRun, memoryFs, runCommand, scriptedPrompts } from '../../support/fixtures.ts'

async function ask(argv: readonly string[], answers: readonly unknown[], overrides = {}) {
  const { asked, prompts } = scriptedPrompts(answers)
  const memory = memoryFs()
  const { run, lines } = fakeRun()
  const system = { fs: memory.fs, run, interactive: true, prompts: async () => prompts, ...overrides }
  const outcome = await runCommand([...argv, '--no-install', '--no-git'], system)
  return { ...outcome, asked, lines, messages: asked.map((question) => question.message), memory }
}

describe('prompts', () => {
  it('ask for every missing answer', async () => {
    const { messages, asked, stdout } = await ask([], ['shop', 'basic', 'A', 'sqlite', ['redis'], 'pnpm'])
    expect(messages).toEqual([
      'Project name',
      'Authentication',
      'Profile',
      'Database',
      'Add-ons',
      'Package manager',
    ])
    const defaults = asked.flatMap((question) => question.default ?? [])
    expect(defaults).toEqual(['my-api', 'complete', 'B', 'sqlite', 'npm'])
    expect(stdout).toContain('/work/shop (basic, A, sqlite + redis)')
    expect(stdout).toContain('create-authsmith shop')
  })

  it('do not ask for what a flag or the file says', async () => {
    expect((await ask(['x', '-m', 'none', '-d', 'sqlite', '--add', 'none'], ['npm'])).messages).toEqual([
      'Package manager',
    ])
    expect(
      (await ask(['x', '-p', 'a', '-m', 'basic', '--package-manager', 'npm', '--add', 'redis'], ['sqlite']))
        .messages,
    ).toEqual(['Database'])
    const { fs } = memoryFs({
      '/work/a.json': '{"mode":"basic","profile":"B","database":"sqlite","addOns":["pages"]}',
    })
    expect((await ask(['x', '--from', 'a.json'], ['npm'], { fs })).messages).toEqual(['Package manager'])
  })

  it('ask for no profile with mode none', async () => {
    expect((await ask(['x'], ['none', 'sqlite', [], 'npm'])).messages).toEqual([
      'Authentication',
      'Database',
      'Add-ons',
      'Package manager',
    ])
  })

  it('do not offer mode none if a profile is given', async () => {
    const { asked } = await ask(['x', '-p', 'A'], ['basic', 'sqlite', [], 'npm'])
    expect(asked[0]?.choices?.map((choice) => choice.value)).toEqual(['basic', 'complete'])
  })

  it('select the calling package manager first', async () => {
    const { asked } = await ask(['x'], ['none', 'sqlite', [], 'bun'], {
      env: { npm_config_user_agent: 'bun/1.2 npm/?' },
    })
    expect(asked.at(-1)?.default).toBe('bun')
  })

  it.each(['basic', 'complete'])('describe each choice in a line of a terminal, mode %s', async (mode) => {
    const { asked } = await ask(['x'], [mode, 'B', 'sqlite', [], 'npm'])
    const choices = asked.flatMap((question) => question.choices ?? [])
    const described = choices.filter(({ value }) => value !== 'back')
    expect(described).toHaveLength(11 + allowedAddOns({ mode, profile: 'B' } as never).length)
    // A checkbox adds a pointer, a circle and a space. A longer line would wrap and hide the last choices.
    for (const { name = '' } of described) expect(stripVTControlCharacters(name).length).toBeLessThan(78)
    // The prompt adds a pointer of two characters.
    for (const { value, name = '' } of described)
      expect(stripVTControlCharacters(name)).toMatch(new RegExp(`^${value} +(?=.{5,}).{0,75}$`))
  })

  it('choose the same as --yes, if every suggestion is accepted', async () => {
    const { asked, prompts } = scriptedPrompts([])
    const accept = async (question: { default?: unknown }) => {
      asked.push(question as never)
      return question.default
    }
    const checkbox = async (question: { choices: { value: string; checked: boolean }[] }) => {
      asked.push(question as never)
      return question.choices.flatMap(({ value, checked }) => (checked ? value : []))
    }
    const accepting = async () => ({ checkbox, input: accept, select: accept }) as unknown as typeof prompts
    const accepted = await ask([], [], { prompts: accepting })
    const chosen = await ask(['my-api', '--yes'], [])
    expect(accepted.stdout).toBe(chosen.stdout)
    expect(accepted.stdout).toContain('(complete, B, sqlite + cookies, pages)')
    expect(asked).toHaveLength(6)
  })

  it('lead back to the question before, with the answer that was given', async () => {
    const back = ['shop', 'basic', 'A', 'back', 'back', 'none', 'postgres', ['backup'], 'back']
    const answers = [...back, ['metrics'], 'npm']
    const { asked, messages, stdout } = await ask([], answers)
    expect(messages).toEqual([
      'Project name',
      'Authentication',
      'Profile',
      'Database',
      'Profile',
      'Authentication',
      'Database',
      'Add-ons',
      'Package manager',
      'Add-ons',
      'Package manager',
    ])
    expect(asked.slice(4, 6).map((question) => question.default)).toEqual(['A', 'basic'])
    expect(asked[5]?.choices?.map(({ value }) => value)).toEqual(['none', 'basic', 'complete', 'back'])
    expect(asked[9]?.choices?.flatMap(({ value, checked }) => (checked ? value : []))).toEqual(['backup'])
    expect(stdout).toContain('/work/shop (none, postgres + metrics)')
  })

  it('lead back to the name, and not from the first question', async () => {
    const { asked, messages, stdout } = await ask([], ['shop', 'back', 'store', 'none', 'sqlite', [], 'npm'])
    expect(messages.slice(0, 3)).toEqual(['Project name', 'Authentication', 'Project name'])
    expect(asked[2]?.default).toBe('shop')
    expect(stdout).toContain('/work/store (none, sqlite)')
    const first = (await ask(['x'], ['none', 'sqlite', [], 'npm'])).asked[0]
    expect(first?.choices?.map(({ value }) => value)).toEqual(['none', 'basic', 'complete'])
  })

  it('refuse a directory that is not empty before the first question', async () => {
    const memory = memoryFs({ '/work/x/a': '' })
    const { messages, exitCode } = await ask(['x'], [], { fs: memory.fs })
    expect({ messages, exitCode }).toEqual({ messages: [], exitCode: 3 })
  })

  it('check the name immediately', async () => {
    const { asked } = await ask([], ['x', 'none', 'sqlite', [], 'npm'])
    const { validate } = asked[0] as unknown as { validate: (name: string) => true | string }
    expect(validate('my-api')).toBe(true)
    expect(validate('')).toMatch(/must not be empty/)
    expect(validate('con')).toMatch(/which must/)
    expect(validate('..')).toMatch(/must end with the name/)
    expect(validate('My Api')).toMatch(/For example: my-api\.$/)
  })

  it.each([
    ['../shop', '/shop'],
    ['deep/shop', '/work/deep/shop'],
    ['.', '/work'],
  ])('take %s for the name, as the argument', async (typed, path) => {
    const { stdout, memory } = await ask([], [typed, 'none', 'sqlite', [], 'npm'])
    expect(stdout).toContain(`${path} (none, sqlite)`)
    const manifest = memory.fs.readFileSync(`${path}/.authsmith/manifest.json`, 'utf8') as string
    expect(JSON.parse(manifest).answers.name).toBe(path.split('/').at(-1))
  })

  it('lead back from the list of add-ons, and keep what was chosen there', async () => {
    const answers = ['basic', 'B', 'sqlite', ['redis', 'back'], 'postgres', ['redis'], 'npm']
    const { asked, messages, stdout } = await ask(['x'], answers)
    expect(messages.slice(3, 6)).toEqual(['Add-ons', 'Database', 'Add-ons'])
    expect(asked[3]?.choices?.at(-1)?.value).toBe('back')
    expect(asked[5]?.choices?.flatMap(({ value, checked }) => (checked ? value : []))).toEqual(['redis'])
    expect(stdout).toContain('(basic, B, postgres + redis)')
  })

  it.each([40, 60])(
    'break at words in a terminal of %i columns, with all add-ons in sight',
    async (columns) => {
      const terminal = () => ({ columns, rows: 24 })
      const { asked } = await ask(['x'], ['complete', 'B', 'sqlite', [], 'npm'], { terminal })
      for (const { value, name = value, description = '' } of asked.flatMap(({ choices }) => choices ?? []))
        for (const line of `${name}\n${description}`.split('\n'))
          expect(stripVTControlCharacters(line).length).toBeLessThan(columns)
      const addOns = asked[3] as unknown as { choices: unknown[]; pageSize: number }
      expect(addOns.pageSize).toBe(addOns.choices.length)
    },
  )

  it('say that there are more add-ons than a low terminal shows', async () => {
    const terminal = () => ({ columns: 80, rows: 12 })
    const { messages } = await ask(['x'], ['complete', 'B', 'sqlite', [], 'npm'], { terminal })
    const { length } = allowedAddOns({ mode: 'complete', profile: 'B' })
    expect(messages[3]).toBe(`Add-ons (${length}: ↑↓ shows more)`)
  })

  it.each([0, 1, 2, 3, 4, 5])('leave nothing at Ctrl-C in question %i', async (question) => {
    const answers = [
      ...['shop', 'basic', 'A', 'sqlite', ['pages'], 'npm'].slice(0, question),
      exitPromptError(),
    ]
    const { exitCode, stdout, stderr, memory, lines } = await ask([], answers)
    expect({ exitCode, stdout, lines }).toEqual({ exitCode: 130, stdout: '', lines: [] })
    expect(stderr).toBe('create-authsmith: Interrupted. Nothing was written.\n')
    expect(memory.fs.readdirSync('/work')).toEqual([])
  })

  it('never appear with --yes, with --json, or without a terminal', async () => {
    const prompts = async () => {
      throw new Error('loaded')
    }
    expect((await ask(['x', '-m', 'basic', '--yes'], [], { prompts })).exitCode).toBe(0)
    expect((await ask(['x', '--json'], [])).exitCode).toBe(2)
    expect((await ask(['x'], [], { interactive: false })).exitCode).toBe(2)
  })
})
