// Begins an add-on: npm run new-add-on <name>
import fs from 'fs-extra'
import packageJson from '../../package.json' with { type: 'json' }
import { ADD_ON_NAMES } from '../../src/answers/add-ons.ts'
import { WORDS } from '../../src/blueprints/layers.ts'
import { refuse } from './refuse.ts'

const [name = ''] = process.argv.slice(2)
if (!/^[a-z]+(-[a-z]+)*$/.test(name))
  refuse('The name of an add-on has small letters, and "-" between words.')
if (ADD_ON_NAMES.includes(name) || WORDS.has(name)) refuse(`There is ${name} already.`)

const words = name.replaceAll('-', ' ')
const title = words.charAt(0).toUpperCase() + words.slice(1)
const constant = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const folder = `blueprints/add-ons/${name}`
const definition = {
  line: 'what it does, in one line',
  since: packageJson.version,
  modes: ['basic', 'complete'],
  removal: 'what its removal means for users and operators',
}
const files = {
  [`${folder}/add-on.json`]: `${JSON.stringify(definition, null, 2)}\n`,
  [`${folder}/all/README.md`]: `## Documentation\n\n| [${title}](docs/${name}.md) | what its owner reads it for |\n`,
  [`${folder}/all/docs/${name}.md`]: `# ${title}\n\nWhat it does, and how it is used and configured.\n`,
  [`${folder}/all/test/http/${name}.test.ts`]: `import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

test('what the add-on does', async () => {
  const app = await createTestApp()
  const response = await app.inject({ url: '/api/v1/${name}' })
  expect(response.statusCode).toBe(200)
})
`,
  [`tests/attack/mutants/list/${name}.js`]: `/** The add-on ${name}. @type {import('../mutant.js').Mutant[]} */\nexport const ${constant} = []\n`,
}
for (const [path, text] of Object.entries(files)) {
  fs.outputFileSync(path, text)
  console.log(path)
}
