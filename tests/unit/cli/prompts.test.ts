import { describe, expect, it } from 'vitest'
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
    const { messages, asked, stdout } = await ask([], ['shop', 'basic', 'A', 'sqlite', 'pnpm'])
    expect(messages).toEqual(['Project name', 'Authentication', 'Profile', 'Database', 'Package manager'])
    expect(asked.map((question) => question.default)).toEqual(['my-api', 'basic', 'B', 'sqlite', 'npm'])
    expect(stdout).toContain('/work/shop (basic, A, sqlite)')
    expect(stdout).toContain('pnpm create authsmith@latest shop')
  })

  it('do not ask for what a flag or the file says', async () => {
    expect((await ask(['x', '-m', 'none', '-d', 'sqlite'], ['npm'])).messages).toEqual(['Package manager'])
    expect(
      (await ask(['x', '-p', 'a', '-m', 'basic', '--package-manager', 'npm'], ['sqlite'])).messages,
    ).toEqual(['Database'])
    const { fs } = memoryFs({ '/work/a.json': '{"mode":"basic","profile":"B","database":"sqlite"}' })
    expect((await ask(['x', '--from', 'a.json'], ['npm'], { fs })).messages).toEqual(['Package manager'])
  })

  it('ask for no profile with mode none', async () => {
    expect((await ask(['x'], ['none', 'sqlite', 'npm'])).messages).toEqual([
      'Authentication',
      'Database',
      'Package manager',
    ])
  })

  it('do not offer mode none if a profile is given', async () => {
    const { asked } = await ask(['x', '-p', 'A'], ['basic', 'sqlite', 'npm'])
    expect(asked[0]?.choices?.map((choice) => choice.value)).toEqual(['basic', 'complete'])
  })

  it('select the calling package manager first', async () => {
    const { asked } = await ask(['x'], ['none', 'sqlite', 'bun'], {
      env: { npm_config_user_agent: 'bun/1.2 npm/?' },
    })
    expect(asked.at(-1)?.default).toBe('bun')
  })

  it('describe each mode and profile in one line', async () => {
    const { asked } = await ask(['x'], ['basic', 'B', 'sqlite', 'npm'])
    const choices = asked.slice(0, 3).flatMap((question) => question.choices ?? [])
    for (const choice of choices)
      expect(choice).toMatchObject({ description: expect.stringMatching(/^.{10,100}$/) })
  })

  it('refuse a directory that is not empty before the first question', async () => {
    const memory = memoryFs({ '/work/x/a': '' })
    const { messages, exitCode } = await ask(['x'], [], { fs: memory.fs })
    expect({ messages, exitCode }).toEqual({ messages: [], exitCode: 3 })
  })

  it('check the name immediately', async () => {
    const { asked } = await ask([], ['x', 'none', 'sqlite', 'npm'])
    const { validate } = asked[0] as unknown as { validate: (name: string) => true | string }
    expect(validate('my-api')).toBe(true)
    expect(validate('')).toMatch(/^The name must/)
    expect(validate('con')).toMatch(/^The name must/)
  })

  it.each([0, 1, 2, 3, 4])('leave nothing at Ctrl-C in question %i', async (question) => {
    const answers = [...['shop', 'basic', 'A', 'sqlite', 'npm'].slice(0, question), exitPromptError()]
    const { exitCode, stdout, stderr, memory, lines } = await ask([], answers)
    expect({ exitCode, stdout, lines }).toEqual({ exitCode: 130, stdout: '', lines: [] })
    expect(stderr).toBe('create-authsmith: Interrupted. Nothing was written.\n')
    expect(memory.fs.readdirSync('/work')).toEqual([])
  })

  it('never appear with --yes, with --json, or without a terminal', async () => {
    expect((await ask(['x', '-m', 'basic', '--yes'], [])).exitCode).toBe(0)
    expect((await ask(['x', '--json'], [])).exitCode).toBe(2)
    expect((await ask(['x'], [], { interactive: false })).exitCode).toBe(2)
  })
})
