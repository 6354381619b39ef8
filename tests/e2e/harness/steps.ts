import { beforeEach, test } from 'vitest'

/**
 * Steps of a suite: tests on which all later tests depend. If a step fails, the rest of the suite is skipped with its
 * name, so that one cause is one failure. Call it once in the suite, before its tests.
 * @returns a function that declares a step, instead of `test`
 */
export function steps(): (name: string, run: Parameters<typeof test>[2]) => void {
  let failed: string | undefined
  beforeEach(({ skip }) => {
    if (failed !== undefined) skip(`an earlier step failed: ${failed}`)
  })
  return (name, run) => {
    test(name, async (context) => {
      context.onTestFailed(() => {
        failed ??= name
      })
      await run?.(context)
    })
  }
}
