// npm run test:platforms [-- --only npm,pnpm --node 20,24 --mode complete --tests test/http --keep]: creates a project
// with each package manager on each Node, and prints a table with the seconds of each step. Exit code 1 if one failed.
// --tests runs a part of the project's tests. --keep leaves the projects and their output in place.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCell, STEPS } from './cell.js'
import { installNode, installPackageManagers, packageManagers } from './programs.js'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(packageManagers).join(',') },
    node: { type: 'string', default: '20,22,24,26' },
    mode: { type: 'string', default: 'complete' },
    tests: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
  },
})
const names = values.only.split(',')
const versions = values.node.split(',')
const tests = values.tests.split(' ').filter(Boolean)
for (const name of names)
  if (!(name in packageManagers)) throw new Error(`There is no package manager ${name}.`)

// A normal exit also ends the programs that a cell has started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-platforms-'))
process.once('exit', () => {
  if (!values.keep) rmSync(scratch, { recursive: true, force: true })
})

/** The Node of the generated Dockerfile. */
const IMAGE_NODE = '24'

const tools = installPackageManagers(scratch)
/** @type {Map<string, import('./programs.js').Node>} */
const nodes = new Map()
/** @param {string} version */
const nodeOf = (version) => {
  const node = nodes.get(version) ?? installNode(scratch, version)
  nodes.set(version, node)
  return node
}

console.log(
  `mode ${values.mode}, profile B, SQLite, ${process.platform} ${process.arch}; seconds of each step`,
)
console.log(`| ${['package manager', 'Node', ...STEPS].join(' | ')} |`)
console.log(`|${'---|'.repeat(STEPS.length + 2)}`)
for (const name of names) {
  for (const version of versions) {
    const node = nodeOf(version)
    const { results, failure } = await runCell({
      folder: join(scratch, `${name}-${version}`),
      packageManager: name,
      tools,
      node,
      imageNode: version === IMAGE_NODE ? undefined : nodeOf(IMAGE_NODE),
      mode: values.mode,
      tests,
    })
    console.log(`| ${[name, node.version, ...results].join(' | ')} |`)
    if (failure === undefined) continue
    console.error(`\n${name} on ${node.version}: ${failure}\n`)
    process.exitCode = 1
  }
}
