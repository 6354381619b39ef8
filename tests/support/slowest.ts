import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

interface Timed {
  readonly path: string
  readonly ms: number
}

/** Prints the seconds of each group of tests, and the slowest files, after a run of many files. */
export default class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic()
      return { path: module.moduleId.replace(/^.*\/tests\//, ''), ms: collectDuration + duration }
    })
    console.log(timesOf(files).join('\n'))
  }
}

/** One line for each group and each of the slowest files. Files run in parallel, so a run takes less than their sum. */
export function timesOf(files: readonly Timed[]): string[] {
  const groups = new Map<string, number>()
  for (const { path, ms } of files) groups.set(groupOf(path), (groups.get(groupOf(path)) ?? 0) + ms)
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN)
  const line = (ms: number, name: string) => `${(ms / 1000).toFixed(0).padStart(6)} s  ${name}`
  return [
    'Seconds of each group, summed over files that run in parallel:',
    ...[...groups].sort(([, a], [, b]) => b - a).map(([name, ms]) => line(ms, name)),
    'The slowest files:',
    ...slowest.map(({ path, ms }) => line(ms, path)),
  ]
}

/** The folder of a file: for end-to-end tests with the one below, such as `e2e/variants`. */
const groupOf = (path: string) => /^(e2e\/\w+|[^/]+)\//.exec(path)?.[1] ?? path
