import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

interface Timed {
  readonly path: string
  readonly ms: number
  /** Of the processor, if it is known. */
  readonly processorMs?: number | undefined
}

/** Prints the seconds of each group of tests, and of the slowest files, after a run of many files. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      const { processorMs } = module.meta()
      return {
        path: module.moduleId.replace(/^.*\/tests\//, ''),
        ms: collectDuration + duration,
        processorMs,
      }
    })
    console.log(timesOf(files).join('\n'))
  }
}

/** One line for each group and each of the slowest files. Files run in parallel, so a run takes less than their sum. */
export function timesOf(files: readonly Timed[]): string[] {
  const groups = new Map<string, Timed>()
  for (const { path, ms, processorMs = 0 } of files) {
    const group = groupOf(path)
    const sum = groups.get(group) ?? { ms: 0, processorMs: 0 }
    groups.set(group, { path: group, ms: sum.ms + ms, processorMs: (sum.processorMs ?? 0) + processorMs })
  }
  const slowestFirst = (all: readonly Timed[]) => all.toSorted((a, b) => b.ms - a.ms)
  return [
    'Seconds of each group and of its processor time, summed over files that run in parallel:',
    ...slowestFirst([...groups.values()]).map(lineOf),
    'The slowest files:',
    ...slowestFirst(files).slice(0, SHOWN).map(lineOf),
  ]
}

const lineOf = ({ path, ms, processorMs }: Timed) =>
  `${seconds(ms)}${processorMs ? seconds(processorMs) : ' '.repeat(8)}  ${path}`

const seconds = (ms: number) => `${(ms / 1000).toFixed(0).padStart(6)} s`

/** The folder of a file: for end-to-end tests with the one below, such as `e2e/variants`. */
const groupOf = (path: string) => /^(e2e\/\w+|[^/]+)\//.exec(path)?.[1] ?? path
