import packageJson from '../../../package.json' with { type: 'json' }
import { layersOf, type Plan } from '../../blueprints/layers.ts'
import type { System } from '../../system/system.ts'
import { compareVersions } from '../../system/version.ts'

/** An entry of the changelog. */
export interface ChangelogEntry {
  readonly version: string
  /** Its heading, such as "Security". */
  readonly kind: string
  /** The layers of the projects that it concerns; `command` if it concerns none. */
  readonly layers: readonly string[]
  /** In Markdown, on one line. */
  readonly text: string
}

/** What an update to this version changes for an owner. */
export interface Release {
  readonly from: string
  readonly to: string
  readonly changes: readonly ChangelogEntry[]
}

/** The marker of entries about the command itself, which changes no project. */
export const COMMAND = 'command'

/** An entry of every project has no marker. */
const EVERY = ['all']

/** Reads the entries of a changelog: `- [complete-b, postgres] What changes for these layers.` */
export function readChangelog(text: string): ChangelogEntry[] {
  const [, ...releases] = text.split(/^## /m)
  return releases.flatMap((release) => {
    const version = /\d+\.\d+\.\d+/.exec(release.split('\n', 1)[0] ?? '')?.[0]
    const [, ...kinds] = release.split(/^### /m)
    return kinds.flatMap((part) => {
      const [kind = '', ...lines] = part.split('\n')
      const [, ...entries] = `\n${lines.join('\n')}`.split(/\n- /)
      return entries.flatMap((entry): ChangelogEntry[] => {
        const [, layers, words = ''] = /^(?:\[([a-z+, -]+)\] )?(.*)$/s.exec(entry) ?? []
        const text = words.replace(/\s+/g, ' ').trim()
        return version ? [{ version, kind, layers: layers?.split(', ') ?? EVERY, text }] : []
      })
    })
  })
}

/**
 * What changed in the layers of a project since the version that generated it.
 * @returns undefined if this version generated it
 */
export function changesSince({ fs, changelog }: System, generator: string, plan: Plan): Release | undefined {
  const to = packageJson.version
  if (compareVersions(generator, to) >= 0) return undefined
  const entries = fs.existsSync(changelog) ? readChangelog(fs.readFileSync(changelog, 'utf8')) : []
  const changes = entries.filter(
    ({ version, layers }) =>
      compareVersions(version, generator) > 0 &&
      compareVersions(version, to) <= 0 &&
      !layers.includes(COMMAND) &&
      layersOf(plan, layers).length > 0,
  )
  return { from: generator, to, changes }
}
