import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { REAL_BLUEPRINTS, readOnceFs } from '../support/blueprints.ts'
import { exampleAnswers, renderExamples, staleExamples, writeExamples } from '../support/examples.ts'
import { filesIn, memoryFs } from '../support/fixtures.ts'

describe('examples/', () => {
  it('is fresh; npm run examples makes it so', () => {
    expect(staleExamples(fs, 'examples', renderExamples(readOnceFs, REAL_BLUEPRINTS))).toEqual([])
  })

  it('has every variant, and all add-ons in two of them', () => {
    expect([...exampleAnswers().keys()]).toEqual([
      'none-sqlite',
      'basic-a-sqlite',
      'basic-b-sqlite',
      'complete-a-sqlite',
      'complete-b-sqlite',
      'complete-b-sqlite-all',
      'none-postgres',
      'basic-a-postgres',
      'basic-b-postgres',
      'complete-a-postgres',
      'complete-a-postgres-all',
      'complete-b-postgres',
    ])
  })
})

describe('stale examples', () => {
  const fresh = () => {
    const memory = memoryFs()
    const rendered = renderExamples(memory.fs, '/blueprints')
    const changed = writeExamples(memory.fs, '/examples', rendered)
    return { memory, rendered, changed, stale: () => staleExamples(memory.fs, '/examples', rendered) }
  }

  it('are updated by writeExamples', () => {
    const { memory, rendered, changed, stale } = fresh()
    expect(changed).toHaveLength(rendered.size)
    expect(stale()).toEqual([])
    expect(filesIn(memory, '/examples')).toEqual(Object.fromEntries(rendered))
    expect(writeExamples(memory.fs, '/examples', rendered)).toEqual([])
  })

  it('are found: missing, differing and surplus files', () => {
    const { memory, rendered, stale } = fresh()
    memory.volume.rmSync('/examples/none-sqlite/src/db.ts')
    memory.volume.appendFileSync('/examples/basic-a-sqlite/README.md', '\n')
    memory.volume.fromJSON({ '/examples/basic-b-sqlite/src/old.ts': '', '/examples/basic-c-sqlite/a.ts': '' })
    const faults = [
      'missing: none-sqlite/src/db.ts',
      'differs: basic-a-sqlite/README.md',
      'surplus: basic-b-sqlite/src/old.ts',
      'surplus: basic-c-sqlite/a.ts',
    ]
    expect(stale().sort()).toEqual(faults.sort())
    writeExamples(memory.fs, '/examples', rendered)
    expect(stale()).toEqual([])
  })

  it('do not include files that working in an example leaves', () => {
    const { memory, stale } = fresh()
    memory.volume.fromJSON({
      '/examples/none-sqlite/node_modules/a/index.js': '',
      '/examples/none-sqlite/package-lock.json': '',
      '/examples/none-sqlite/data/app.db': '',
    })
    expect(stale()).toEqual([])
    memory.volume.fromJSON({ '/examples/none-sqlite/src/data/a.ts': '' })
    expect(stale()).toEqual(['surplus: none-sqlite/src/data/a.ts'])
  })
})
