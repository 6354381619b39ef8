/** A variant's own test files that a run executes, and those that it leaves to another variant. */
export interface Suite {
  readonly variant: string
  readonly run: readonly string[]
  readonly skipped: readonly { readonly file: string; readonly ranIn: string }[]
}

type Files = ReadonlyMap<string, string>

/**
 * Decides which generated test files run in which variant. Those of `whole` run all of theirs. Of the others, a file runs
 * unless one before it has the same path and text, or it is to run `again`.
 */
export function planSuites(
  variants: ReadonlyMap<string, Files>,
  whole: readonly string[],
  again?: { readonly variant: string; readonly tests: RegExp },
): Suite[] {
  const ran = new Map<string, string>()
  const order = [...whole, ...[...variants.keys()].filter((variant) => !whole.includes(variant))]
  return order.map((variant) => {
    const tests = [...(variants.get(variant) ?? [])].filter(([path]) => /^test\/.*\.test\.ts$/.test(path))
    const run: string[] = []
    const skipped: { file: string; ranIn: string }[] = []
    for (const [file, text] of tests) {
      const key = `${file}\n${text}`
      const ranIn = ran.get(key)
      if (ranIn === undefined) ran.set(key, variant)
      const mustRun = whole.includes(variant) || (variant === again?.variant && again.tests.test(file))
      if (ranIn !== undefined && !mustRun) skipped.push({ file, ranIn })
      else run.push(file)
    }
    return { variant, run, skipped }
  })
}
