import fs from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { fakeRun, locking, memoryFs, runCommand, scriptedPrompts } from '../../support/fixtures.ts'
import { filesBelow } from '../../support/folder.ts'

/** The text of each frame of a recording, in order, without spaces: these are lost where colors change. */
const framesOf = (picture: string) =>
  fs
    .readFileSync(`docs/images/${picture}`, 'utf8')
    .split('<g ')
    .slice(1)
    .map((frame) => withoutSpaces(frame.replace(/<[^>]*>|^[^>]*>/g, '')))

function withoutSpaces(text: string): string {
  return stripVTControlCharacters(text).replace(/&lt;/g, '<').replace(/&amp;/g, '&').replace(/\s/g, '')
}

/** A terminal in memory, whose user gives these answers, and what it was asked. */
function terminal(answers: readonly unknown[]) {
  const real = [...filesBelow('blueprints')].map(([path, text]) => [`/blueprints/${path}`, text])
  const { fs: memory } = memoryFs({}, Object.fromEntries(real))
  const { asked, prompts } = scriptedPrompts(answers)
  const run = locking(memory, fakeRun().run)
  return { asked, system: { fs: memory, run, interactive: true, prompts: async () => prompts } }
}

function expectQuestions(frames: readonly string[], asked: ReturnType<typeof terminal>['asked']) {
  expect(frames).toHaveLength(asked.length)
  for (const [n, { message, choices = [] }] of asked.entries()) {
    expect(frames[n]).toContain(`?${withoutSpaces(message)}`)
    for (const { name = '' } of choices) expect(frames[n]).toContain(withoutSpaces(name))
  }
}

// The first frame of a recording is the result, for viewers that do not animate. `npm run pictures` records again.
it('create.svg shows what the command asks and prints', async () => {
  const { asked, system } = terminal(['complete', 'B', 'sqlite', ['cookies', 'pages'], 'npm'])
  const { stdout } = await runCommand(['my-api'], system)

  const [result = '', command = '', ...questions] = framesOf('create.svg')
  expect(command).toBe('$create-authsmithmy-api')
  expectQuestions(questions, asked)
  expect(stdout).toMatch(/^Wrote \d+ files/)
  expect(result).toContain(withoutSpaces(stdout.replace('/work/my-api', '/home/alice/my-api')))
})

it('add.svg shows what add and remove ask and print', async () => {
  const { asked, system } = terminal([['admin', 'metrics']])
  await runCommand(['my-api', '--yes'], system)
  const inProject = { ...system, cwd: '/work/my-api' }
  const added = await runCommand(['add'], inProject)
  const removed = await runCommand(['remove', 'pages'], inProject)

  const [result = '', command = '', question = '', choice = '', addition, , removal] = framesOf('add.svg')
  expect(command).toBe('$create-authsmithadd')
  expectQuestions([question], asked)
  expect(choice).toMatch(/◉admin.*◉metrics/)
  expect(added.stdout).toContain('Added admin, metrics.')
  expect(addition).toContain(withoutSpaces(added.stdout))
  expect(removal).toMatch(/\$create-authsmithremovepages$/)
  expect(removed.stdout).toContain('removed pages')
  expect(result).toContain(withoutSpaces(added.stdout))
  expect(result.endsWith(`${withoutSpaces(removed.stdout)}$`)).toBe(true)
})
