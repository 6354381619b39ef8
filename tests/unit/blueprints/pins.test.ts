import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { allPlans } from '../../support/laws.ts'

const root = join(import.meta.dirname, '../../..')
const own = ['ci.yml', 'all.yml'].map((name) => readFileSync(join(root, '.github/workflows', name), 'utf8'))
const workflows = allPlans().map((plan) => renderOnce(plan).get('.github/workflows/ci.yml') ?? '')

describe('the actions of a workflow', () => {
  it('are pinned by commit, with the version in a comment that Renovate updates', () => {
    const used = [...own, ...workflows].flatMap((text) => {
      const actions = text.match(/uses: .*/g) ?? []
      expect(actions.length).toBeGreaterThan(1)
      return actions
    })
    expect(
      used.filter((line) => !/^uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    ).toEqual([])
  })

  it('have one commit everywhere', () => {
    const used = new Set([...own, ...workflows].flatMap((text) => text.match(/actions\/[a-z-]+@.*/g) ?? []))
    const names = [...used].map((line) => line.split('@')[0])
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })
})

describe.each([...exampleAnswers().keys()])('the images of %s', (variant) => {
  it('have a version', () => {
    const example = join(root, 'examples', variant)
    const files = readdirSync(example).filter((name) => /^(Dockerfile|compose.*\.yaml)$/.test(name))
    const images = files.flatMap((name) => [
      ...readFileSync(join(example, name), 'utf8').matchAll(/^(?: +image: |FROM )(\S+)/gm),
    ])
    expect(images.length).toBeGreaterThan(1)
    for (const [, image] of images) expect(image).toMatch(/^[a-z/]+:v?\d+[\w.-]*(@sha256:[0-9a-f]{64})?$/)
  })
})
