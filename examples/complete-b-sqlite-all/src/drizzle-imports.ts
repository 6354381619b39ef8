import module from 'node:module'

interface Resolved {
  url: string
  format?: string | null | undefined
  shortCircuit?: boolean | undefined
}
interface Context {
  parentURL?: string | undefined
  conditions: string[]
}

/** An ES module of Drizzle. */
const inDrizzle = /\/node_modules\/drizzle-orm\/.*\.js$/

/** The folder of the service. Other packages may have another version of Drizzle. */
const ownFolder = new URL('.', import.meta.url).href

/**
 * Answers where an import of Drizzle leads. Node.js 22 and later parse its package.json, of 180 KB, at each of about a
 * thousand imports: more than half of the time and memory of a start.
 * @param own the URL of the folder whose imports lead to one Drizzle
 * @returns a hook for `module.registerHooks`
 */
export function createResolve(own = ownFolder) {
  const known = new Map<string, Resolved>()

  return (
    specifier: string,
    context: Context,
    next: (specifier: string, context: Context) => Resolved,
  ): Resolved => {
    const { parentURL = '', conditions } = context
    if (inDrizzle.test(parentURL) && /^\..*\.js$/.test(specifier))
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true }
    if (!specifier.startsWith('drizzle-orm') || !parentURL.startsWith(own)) return next(specifier, context)

    // require() and import lead to different files.
    const key = `${specifier} ${conditions.join()}`
    const resolved = known.get(key) ?? { ...next(specifier, context), shortCircuit: true }
    known.set(key, resolved)
    return resolved
  }
}

/** Makes later imports of Drizzle fast. Does nothing on Node.js 20, where they are, and which has no such hooks. */
export function speedUpDrizzle(): void {
  const { registerHooks } = module as {
    registerHooks?: (hooks: { resolve: ReturnType<typeof createResolve> }) => void
  }
  registerHooks?.({ resolve: createResolve() })
}
