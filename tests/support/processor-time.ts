import { existsSync, readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Milliseconds of processor time of a test file that has a process of its own, with the programs that it started. */
    processorMs?: number
  }
}

// Runs before each file of tests in a process of its own.
const before = processorMs()
// biome-ignore lint/correctness/noEmptyPattern: Vitest accepts no name here
afterAll(({}, { file }) => {
  file.meta.processorMs = processorMs() - before
})

/** What this process and its ended children have computed: columns 14 to 17 of proc_pid_stat(5), in 1/100 s. Linux only. */
function processorMs(): number {
  const stat = '/proc/self/stat'
  if (!existsSync(stat)) return 0
  const [, columns = ''] = /\) (.*)/s.exec(readFileSync(stat, 'utf8')) ?? []
  const ticks = columns.split(' ').slice(11, 15)
  return ticks.reduce((sum, each) => sum + Number(each) * 10, 0)
}
