// Covers the alert rules of docs/metrics.md, with the check of Prometheus.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { succeed } from '../support/command.ts'
import { filesBelow, newFolder } from '../support/folder.ts'
import { findProgram } from '../support/programs.js'
import { blocksOf } from './docs/blocks.ts'

const example = join(import.meta.dirname, '../../examples/complete-b-sqlite-all')
const page = readFileSync(join(example, 'docs/metrics.md'), 'utf8')
const [rules] = blocksOf('docs/metrics.md', page).filter(({ text }) => text.startsWith('groups:'))

test('Prometheus accepts the alert rules', async ({ skip }) => {
  skip(!findProgram('promtool'), 'promtool is not installed')
  const cwd = newFolder()
  writeFileSync(join(cwd, 'rules.yml'), rules?.text ?? '')
  const { stdout } = await succeed('promtool', ['check', 'rules', 'rules.yml'], { cwd })
  expect(stdout).toMatch(/SUCCESS: [1-9]\d* rules found/)
})

test('the rules ask for events and metrics of the service', () => {
  const source = [...filesBelow(join(example, 'src'))].map(([, text]) => text).join('\n')
  const asked = [...(rules?.text ?? '').matchAll(/event="([^"]+)"|\b([a-z]+(?:_[a-z]+)+)(?=[{)])/g)]
  const names = asked.map(([, event, metric]) => event ?? metric?.replace(/_count$/, '') ?? '')
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter((name) => !source.includes(`'${name}'`))).toEqual([])
})
