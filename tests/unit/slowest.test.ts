import { expect, it } from 'vitest'
import { timesOf } from '../support/slowest.ts'

it('the times of a run are those of each folder and of the ten slowest files', () => {
  const units = Array.from({ length: 12 }, (_, n) => ({ path: `unit/cli/${n}.test.ts`, ms: n * 1000 }))
  const others = [
    { path: 'e2e/variants/none-sqlite.test.ts', ms: 100_400, processorMs: 60_000 },
    { path: 'e2e/variants/none-postgres.test.ts', ms: 2_000, processorMs: 1_000 },
    { path: 'e2e/edges.test.ts', ms: 7_000 },
  ]
  expect(timesOf([...units, ...others])).toEqual([
    'Seconds of each group and of its processor time, summed over files that run in parallel:',
    '   102 s    61 s  e2e/variants',
    '    66 s          unit',
    '     7 s          e2e',
    'The slowest files:',
    '   100 s    60 s  e2e/variants/none-sqlite.test.ts',
    ...[11, 10, 9, 8].map((n) => `${String(n).padStart(6)} s          unit/cli/${n}.test.ts`),
    '     7 s          unit/cli/7.test.ts',
    '     7 s          e2e/edges.test.ts',
    ...[6, 5, 4].map((n) => `     ${n} s          unit/cli/${n}.test.ts`),
  ])
})
