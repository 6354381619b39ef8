import { expect, test } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

// The tests of a project run under its own name, and those of this repository only under that of the examples.
test.each([...exampleAnswers()])(
  '%s under another name does not know that of the examples',
  (_example, given) => {
    const files = renderOnce(planOf({ ...given, name: 'shop' }))
    const code = [...files].filter(([path]) => /^(src|test|dev)\//.test(path))
    expect(code.length).toBeGreaterThan(50)
    expect(code.filter(([, text]) => text.includes('my-api')).map(([path]) => path)).toEqual([])
  },
)
