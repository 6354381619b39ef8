import { dirname, join } from 'node:path/posix'
import { exportsOf } from './laws.ts'

/** Texts of TypeScript files by their path. */
export type Sources = ReadonlyMap<string, string>

/** The files that a file imports by a relative path, also for types and on demand. */
export function importsOf(path: string, text: string): string[] {
  const specifiers = text.matchAll(/(?:\bfrom|\bimport\(|^import) ?\s*'(\.[^']+\.ts)'/gm)
  return [...specifiers].map(([, specifier = '']) => join(dirname(path), specifier))
}

/** Each import cycle once, as a path. */
export function circles(sources: Sources): string[] {
  const found: string[] = []
  const finished = new Set<string>()
  const visit = (path: string, way: readonly string[]) => {
    const start = way.indexOf(path)
    if (start >= 0) found.push([...way.slice(start), path].join(' → '))
    if (start >= 0 || finished.has(path)) return
    for (const target of importsOf(path, sources.get(path) ?? '')) visit(target, [...way, path])
    finished.add(path)
  }
  for (const path of sources.keys()) visit(path, [])
  return found
}

/** What files import at their top that does not exist: files, and names that a file does not export. */
export function missingImports(sources: Sources): string[] {
  const imports =
    /^(?:import|export)(?: type)?(?: (\w+),?)?(?: \{([^}]*)\}| \*(?: as \w+)?)? (?:from )?'(\.[^']+\.[jt]s)'/gm
  const modules = [...sources].filter(([path]) => /\.[jt]s$/.test(path))
  // A route may serve a script of a package as one of the pages.
  const served = modules.flatMap(([, text]) =>
    [...text.matchAll(/'\/(pages\/[\w-]+\.js)'/g)].map(([, file]) => file),
  )
  const exported = new Map(modules.map(([path, text]) => [path, exportsOf(text)]))
  return modules.flatMap(([path, text]) =>
    [...text.matchAll(imports)].flatMap(([, whole, list = '', specifier = '']) => {
      const target = join(dirname(path), specifier)
      const known = exported.get(target)
      if (served.includes(target)) return []
      if (!known) return [`${path} imports ${target}`]
      const names = list.split(',').map(
        (name) =>
          name
            .trim()
            .replace(/^type /, '')
            .split(' ')[0] ?? '',
      )
      return [...(whole ? ['default'] : []), ...names]
        .filter((name) => name !== '' && !known.includes(name))
        .map((name) => `${path} imports ${name} of ${target}`)
    }),
  )
}

/** The packages that a service loads at the start: those of server.ts, of what Fastify loads, and of all that these import. */
export function loadedAtStart(sources: Sources): string[] {
  const packages = new Set<string>()
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const [, specifier = ''] of (sources.get(path) ?? '').matchAll(STATIC_IMPORT))
      if (specifier.startsWith('.')) visit(join(dirname(path), specifier))
      else if (!specifier.startsWith('node:')) packages.add(specifier)
  }
  for (const path of sources.keys()) if (LOADED.test(path)) visit(path)
  return [...packages]
}

const LOADED = /^src\/(server|plugins\/.*|routes\/.*)\.ts$/
/** Not of types, which exist only for the compiler. */
const STATIC_IMPORT = /^(?:import|export)(?! type)(?: [^';]*? from)? '([^']+)'/gm
