import fs from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { fakeRun, memoryFs, runCommand, scriptedPrompts } from '../../support/fixtures.ts'
import { filesBelow } from '../../support/folder.ts'

/** The text of each frame of the recording, in order, without spaces: these are lost where colors change. */
const frames = fs
  .readFileSync('docs/images/create.svg', 'utf8')
  .split('<g ')
  .slice(1)
  .map((frame) => withoutSpaces(frame.replace(/<[^>]*>|^[^>]*>/g, '')))

function withoutSpaces(text: string): string {
  return stripVTControlCharacters(text).replace(/&lt;/g, '<').replace(/&amp;/g, '&').replace(/\s/g, '')
}

it('shows what the command asks and prints: `npm run pictures` records it again', async () => {
  const real = [...filesBelow('blueprints')].map(([path, text]) => [`/blueprints/${path}`, text])
  const { asked, prompts } = scriptedPrompts(['complete', 'B', 'sqlite', ['pages'], 'npm'])
  const { fs: memory } = memoryFs({}, Object.fromEntries(real))
  const { run } = fakeRun()
  const system = { fs: memory, run, interactive: true, prompts: async () => prompts }
  const { stdout } = await runCommand(['my-api'], system)

  const [result = '', command = '', ...questions] = frames
  expect(command).toBe('$create-authsmithmy-api')
  expect(questions).toHaveLength(asked.length)
  for (const [n, { message, choices = [] }] of asked.entries()) {
    expect(questions[n]).toContain(`?${withoutSpaces(message)}`)
    for (const { name = '' } of choices) expect(questions[n]).toContain(withoutSpaces(name))
  }
  // The first frame is the result, for viewers that do not animate.
  expect(stdout).toMatch(/^Wrote \d+ files/)
  expect(result).toContain(withoutSpaces(stdout.replace('/work/my-api', '/home/alice/my-api')))
})
