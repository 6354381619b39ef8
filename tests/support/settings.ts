import { dirname, join } from 'node:path/posix'
import { build, type Plugin } from 'esbuild'
import { allowedAddOns } from '../../src/answers/add-ons.ts'
import { allVariants } from '../../src/answers/variant.ts'
import { planOf, wordsOfLayer } from '../../src/blueprints/layers.ts'
import { render } from '../../src/blueprints/render.ts'
import { type FileSystem, type Files, filesBelow } from '../../src/system/file-system.ts'

type Kind = 'paragraph' | 'row'

/** What the test of a project says about its settings. */
type Documentation = Record<Kind, RegExp> & { entries: Record<Kind | 'name', string>[][] }

/** The files of blueprints/ that list settings, by path, as src/settings/ defines them. */
export async function renderSettings(fs: FileSystem, blueprints: string): Promise<Files> {
  const plans = allVariants().map((variant) =>
    planOf({ name: 'my-api', ...variant, addOns: allowedAddOns(variant), packageManager: 'npm' }),
  )
  const documentation = await documentationOf(plans.map((plan) => render(fs, blueprints, plan)))
  const files = filesBelow(fs, blueprints).flatMap((path): [string, string][] => {
    const [, layer = '', file] = /^(.+?)\/(_env\.example|docs\/settings\.md)(\.ejs)?$/.exec(path) ?? []
    if (!file) return []
    const kind = file === '_env.example' ? 'paragraph' : 'row'
    const text = fs.readFileSync(join(blueprints, path), 'utf8')
    const written = text.replace(documentation[kind], (_, name: string, at: number) => {
      const words = [...wordsOfLayer(layer), ...openBlock(text.slice(0, at))]
      const plan = plans.findIndex((each) => words.every((word) => each.words.has(word)))
      const entry = documentation.entries[plan]?.find((each) => each.name === name)?.[kind]
      return entry?.replaceAll('my-api', '<%= name %>') ?? ''
    })
    return [[path, written]]
  })
  return new Map(files)
}

/** The word of the template's block that is open at the end of a text. */
function openBlock(text: string): string[] {
  const block = text.slice(text.lastIndexOf('<% '))
  return [...block.matchAll(/^<% if \((\w+)\)/g)].map(([, flag = '']) => flag.replaceAll('_', '-'))
}

/** Runs the code of rendered projects that describes their settings. */
async function documentationOf(projects: readonly Files[]): Promise<Documentation> {
  const code = 'test/settings/entries.ts'
  const lines = projects.map((files, index) => {
    const settings = [...files].filter(([path]) => path.startsWith('src/settings/')).map(([, text]) => text)
    return `import * as groups${index} from './${index}/src/settings/index.ts'
      entries.push(settingEntries(groups${index}, ${JSON.stringify(settings.join('\n'))}))`
  })
  const { outputFiles } = await build({
    stdin: {
      contents: `export { paragraph, row } from './0/${code}'
        import { settingEntries } from './0/${code}'
        export const entries = []
        ${lines.join('\n')}`,
      resolveDir: '.',
    },
    plugins: [projectFiles(projects)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const module = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')
  return await import(/* @vite-ignore */ `data:text/javascript;base64,${module}`)
}

/** No address is valid: only projects have the package. */
const ADDRESSES =
  'const no = () => false; export default { IPv4: { isValidFourPartDecimal: no }, IPv6: { isValid: no } }'

/** Resolves `<index>/<path>` to a file of that project. */
const projectFiles = (projects: readonly Files[]): Plugin => ({
  name: 'project-files',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.|^ipaddr\.js$/ }, ({ importer, path }) =>
      /^zod|node_modules/.test(importer)
        ? undefined
        : { namespace: 'project', path: join(dirname(importer.replace('<stdin>', '')), path) },
    )
    onLoad({ filter: /./, namespace: 'project' }, ({ path }) => {
      const [, index, file = ''] = /^(\d+)\/(.+)$/.exec(path) ?? []
      return {
        contents: projects[Number(index)]?.get(file) ?? ADDRESSES,
        loader: 'ts',
        resolveDir: process.cwd(),
      }
    })
  },
})
