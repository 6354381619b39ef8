import { join } from 'node:path/posix'

/** What npm notes about an installation in node_modules/.package-lock.json: packages by their path. */
export interface Installed {
  packages: Record<string, InstalledPackage>
}

interface InstalledPackage {
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  bin?: Record<string, string>
}

/**
 * The paths of the installed packages that a package.json asks for, with all that these need.
 * @throws Error if a package is missing that is not optional
 */
export function packagesFor(
  manifest: { dependencies?: Record<string, string>; devDependencies?: Record<string, string> },
  packages: Installed['packages'],
): string[] {
  const needed = new Set<string>()
  const add = (name: string, from: string, isOptional = false) => {
    const path = placesOf(name, from).find((place) => place in packages)
    if (path === undefined) {
      if (isOptional) return
      throw new Error(`${name} is not installed, which ${from || 'package.json'} needs`)
    }
    if (needed.has(path)) return
    needed.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } =
      packages[path] ?? {}
    for (const other of Object.keys(dependencies ?? {})) add(other, path)
    for (const other of Object.keys(optionalDependencies ?? {})) add(other, path, true)
    for (const other of Object.keys(peerDependencies ?? {}))
      if (!peerDependenciesMeta?.[other]?.optional) add(other, path)
  }
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) add(name, '')
  return [...needed].sort()
}

/** Where Node.js looks for a package that another one imports, from the inside out. */
function placesOf(name: string, from: string): string[] {
  const outer = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))
  const place = join(from, 'node_modules', name)
  return from === '' ? [place] : [place, ...placesOf(name, outer)]
}
