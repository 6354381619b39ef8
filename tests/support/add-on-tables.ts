// Writes the migration of an add-on with tables, or of what several share, for both databases:
// npm run add-on-tables <name>
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import fs from 'fs-extra'
import { ADD_ON_NAMES, isAllowed, sharedWords } from '../../src/answers/add-ons.ts'
import { shared } from '../../src/answers/definitions.ts'
import { allVariants, DATABASES } from '../../src/answers/variant.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { projectFiles } from '../../src/migrations/project-files.ts'
import { fragmentsIn } from './add-on-fragments.ts'
import { refuse } from './refuse.ts'

const [name = ''] = process.argv.slice(2)
const names = [...ADD_ON_NAMES, ...Object.keys(shared)]
if (!names.includes(name)) refuse(`Name an add-on, or a word of what several share: ${names.join(', ')}.`)
const parent = fs.mkdtempSync(join(tmpdir(), 'add-on-tables-'))
process.once('exit', () => fs.removeSync(parent))

/** What Drizzle Kit needs to compare the tables with the migrations. */
const NEEDED = /^(src\/db\/|migrations\/|drizzle\.config\.ts$)/

/** A project without the add-on, whose tables it has. @returns its folder */
function writeProject(database: (typeof DATABASES)[number]): string {
  const variant = allVariants().findLast((each) => each.database === database && isAllowed(name, each))
  if (!variant) refuse(`No project on ${database} can have ${name}.`)
  const others = sharedWords([name]).filter((word) => word !== name)
  const answers = { name: 'my-api', ...variant, addOns: others, packageManager: 'npm' } as const
  const before = projectFiles(fs, 'blueprints', planOf(answers))
  const after = projectFiles(fs, 'blueprints', planOf({ ...answers, addOns: [name] }))
  const tables = [...after].filter(([path]) => path.startsWith('src/db/schema/'))
  const folder = join(parent, database)
  for (const [path, text] of [...before, ...tables])
    if (NEEDED.test(path)) fs.outputFileSync(join(folder, path), text)
  const { dependencies, devDependencies } = JSON.parse(before.get('package.json') ?? '')
  fs.writeJsonSync(join(folder, 'package.json'), {
    dependencies: {
      'drizzle-orm': dependencies['drizzle-orm'],
      'drizzle-kit': devDependencies['drizzle-kit'],
    },
  })
  return folder
}

for (const database of DATABASES) {
  const cwd = writeProject(database)
  await execa('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd })
  await execa('npx', ['drizzle-kit', 'generate', '--name', name], { cwd })
  const fragments = fragmentsIn(cwd, database, name) ?? refuse(`Drizzle Kit finds no table of ${name}.`)
  for (const [path, text] of fragments) {
    const file = `blueprints/add-ons/${Object.hasOwn(shared, name) ? '_shared/' : ''}${name}/${path}`
    fs.outputFileSync(file, text)
    console.log(file)
  }
}
