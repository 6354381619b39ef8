// Add-ons come and go in projects in memory: what is created with one, gets it later, and loses it again.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AddOn, allowedAddOns, isAllowed } from '../../src/answers/add-ons.ts'
import type { Answers } from '../../src/answers/answers.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { renderOnce } from '../support/blueprints.ts'
import { EDITS, editOnDisk } from './owner-edits.ts'
import { flagsOf, type Memory, projectOf, regenerate, run, STATES, stateNamed, tree } from './project.ts'

const CORES = ['complete B sqlite', 'complete A postgres', 'basic B sqlite', 'none sqlite']

/** The files that a new project with these add-ons has, without its migrations. */
function freshWith(answers: Answers, addOns: readonly AddOn[]): Record<string, string> {
  const files = renderOnce(planOf({ ...answers, addOns: [...addOns].sort() }))
  return Object.fromEntries([...files].filter(([path]) => !path.startsWith('migrations/')))
}

async function change(memory: Memory, kind: 'add' | 'remove', ...addOns: readonly AddOn[]) {
  const { exitCode, stderr, stdout } = await run(memory, [kind, ...addOns, '--no-install', '--allow-dirty'])
  expect(exitCode, stderr + stdout).toBe(0)
}

describe.each(CORES)('in %s', (name) => {
  const answers = stateNamed(name)
  const allowed = allowedAddOns(answers)

  it.each(allowed)('%s added later is as created with it, and removed as never there', async (addOn) => {
    const memory = await projectOf(answers)
    const before = tree(memory)
    await change(memory, 'add', addOn)
    expect(tree(memory)).toEqual(freshWith(answers, [addOn]))
    await change(memory, 'remove', addOn)
    expect(tree(memory)).toEqual(before)
  })
})

it('add-ons give the same in any order', async () => {
  const answers = stateNamed('complete B sqlite')
  const allowed = allowedAddOns(answers)
  expect(allowed.length).toBeGreaterThan(7)
  const pairs = allowed.flatMap((one) => allowed.filter((each) => each !== one).map((other) => [one, other]))
  // Of any two, each comes first once. `test:all` adds each two alone, too.
  for (const order of [allowed, [...allowed].reverse(), ...(process.env.TEST_ALL ? pairs : [])]) {
    const memory = await projectOf(answers)
    for (const [place, addOn] of order.entries()) {
      await change(memory, 'add', addOn)
      const added = order.slice(0, place + 1)
      expect(tree(memory), added.join()).toEqual(freshWith(answers, added))
    }
  }
}, 600_000)

it('what the owner adds to the lists of settings and errors, to tables and to .env.example stays', async () => {
  const answers = stateNamed('complete B sqlite')
  const memory = await projectOf(answers)
  const own = {
    'src/settings/index.ts': "export { metered } from './metered.ts'\n",
    'src/errors/index.ts': "export { accountsOfOurs } from './accounts-of-ours.ts'\n",
    'README.md': '| [Ours](docs/ours.md) | read our page |\n',
    '.env.example': '\n# Ours.\nOURS=1\n',
  }
  editOnDisk(memory, (files) => {
    for (const [path, line] of Object.entries(own)) {
      const place = path.endsWith('index.ts') ? /(?=export \{ (?:rateLimits|requests) \})/ : /$/
      const end = path === 'README.md' ? /(?<=add or remove add-ons \|\n)/ : place
      files[path] &&= files[path].replace(end, line)
      expect(files[path], path).toContain(line)
    }
    files['.env.example'] &&= files['.env.example'].replace('PORT=3000', 'PORT=4000')
  })
  const before = tree(memory)
  const allowed = allowedAddOns(answers)
  await change(memory, 'add', ...allowed)
  for (const [path, line] of Object.entries(own)) expect(tree(memory)[path], path).toContain(line)
  expect(tree(memory)['src/settings/index.ts']).toContain("export { metrics } from './metrics.ts'")
  await change(memory, 'remove', ...allowed)
  expect(tree(memory)).toEqual(before)
})

it('account-data leaves an edited account page and returns to it, and the parts of the owner stay', async () => {
  const memory = await projectOf({ ...stateNamed('complete B sqlite'), addOns: ['account-data', 'pages'] })
  editOnDisk(memory, (files) => {
    EDITS['a changed template']?.(files)
    files['pages/account/70-ours.html'] = '<div class="part"></div>\n'
    files['docs/pages.md'] &&= files['docs/pages.md'].replace(/^# Pages\n/, '# Our pages\n')
  })
  const before = tree(memory)
  const parts = () =>
    Object.keys(tree(memory))
      .filter((path) => /^pages\/account\/[7-9]/.test(path))
      .sort()
  expect(parts()).toEqual(['pages/account/70-ours.html', 'pages/account/90-your-data.html'])
  await change(memory, 'remove', 'account-data')
  expect(parts()).toEqual(['pages/account/70-ours.html'])
  expect(tree(memory)['docs/pages.md']).not.toContain('account-deleted')
  await change(memory, 'add', 'account-data')
  expect(tree(memory)).toEqual(before)
})

const step = fc.record({
  kind: fc.constantFrom('add', 'remove', 'switch'),
  addOn: fc.constantFrom(...allowedAddOns(stateNamed('complete B sqlite'))),
  state: fc.constantFrom(...STATES),
})

it('random additions, removals and switches, and the way back, leave every byte of an edited project', async () => {
  const walks = fc.sample(fc.array(step, { minLength: 8, maxLength: 8 }), {
    numRuns: process.env.TEST_ALL ? 10 : 2,
    seed: 20261125,
  })
  for (const walk of walks) {
    const start = stateNamed('complete B sqlite')
    const memory = await projectOf(start)
    editOnDisk(memory, (files) => {
      for (const edit of Object.values(EDITS)) edit(files)
    })
    const before = tree(memory)
    let [state, addOns] = [start, [] as AddOn[]]
    const update = async (...argv: string[]) => {
      const { exitCode, stdout, stderr } = await regenerate(memory, ['--allow-dirty', ...argv])
      const conflicts = stdout.match(/CONFLICT: .*/g) ?? []
      for (const conflict of conflicts) expect(conflict).toContain('which is deleted: change or delete it')
      expect(exitCode, stderr).toBe(conflicts.length > 0 ? 4 : 0)
      if (exitCode === 4) expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
    }
    for (const { kind, addOn, state: next } of walk) {
      if (kind === 'switch') {
        await update(...flagsOf(next))
        state = next
        addOns = addOns.filter((each) => isAllowed(each, state))
      } else if (kind === 'remove') {
        await update('--remove', addOn)
        addOns = addOns.filter((each) => each !== addOn)
      } else if (isAllowed(addOn, state)) {
        await update('--add', addOn)
        addOns = [...addOns, addOn]
      }
    }
    await update(...flagsOf(start), ...addOns.flatMap((addOn) => ['--remove', addOn]))
    expect(tree(memory)).toEqual(before)
  }
}, 600_000)
