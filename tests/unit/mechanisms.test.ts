import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { planOf } from '../../src/blueprints/layers.ts'
import { renderOnce } from '../support/blueprints.ts'
import { exampleAnswers } from '../support/examples.ts'
import { importsOf } from '../support/imports.ts'
import { allPlans, existenceFaults, templateFaults } from '../support/laws.ts'
import { addMechanisms, MECHANISMS, mechanismFiles } from '../support/mechanisms.ts'

describe('the tests of mechanisms', () => {
  it('have other paths than the tests of any project', () => {
    const taken = allPlans().flatMap((plan) => {
      const project = renderOnce(plan)
      return [...mechanismFiles(plan).keys()].filter((path) => project.has(path) || !/^test\//.test(path))
    })
    expect(taken).toEqual([])
  })

  it.each([...exampleAnswers()])('have no helper that none of them imports: %s', (_, answers) => {
    const files = mechanismFiles(planOf(answers))
    const imported = new Set([...files].flatMap(([path, text]) => importsOf(path, text)))
    expect([...files.keys()].filter((path) => /support/.test(path) && !imported.has(path))).toEqual([])
  })

  it('obey the laws of templates', () => {
    expect([...existenceFaults(fs, MECHANISMS), ...templateFaults(fs, MECHANISMS)]).toEqual([])
  })
})

it('a project gets the tests of its layers, and never loses one of its own', () => {
  const answers = exampleAnswers().get('none-sqlite')
  if (!answers) throw new Error('There is no such example')
  const folder = fs.mkdtempSync(join(tmpdir(), 'mechanisms-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  addMechanisms(folder, planOf(answers))
  expect(fs.existsSync(`${folder}/test/architecture.test.ts`)).toBe(true)
  expect(fs.existsSync(`${folder}/test/jobs/clean-up.test.ts`)).toBe(false)
  expect(() => addMechanisms(folder, planOf(answers))).toThrow(/^tests\/mechanisms: the project has test\//)
})
