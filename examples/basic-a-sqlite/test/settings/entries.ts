import type { z } from 'zod'

type Groups = Record<string, { in: { shape: Record<string, z.ZodType> } }>

/** The entry of a setting in .env.example, and in a table of docs/settings.md. */
export const paragraph = /(?:^#.*\n)*^(?:# )?([A-Z][A-Z0-9_]*(?:<NAME>\w+)?)=.*\n/gm
export const row = /^\| `([A-Z][A-Z0-9_]*(?:<NAME>\w+)?)` +\|.*\n/gm

/** A formatter may align the columns of a table. */
export const isSameEntry = (one: string, other: string): boolean => cellsOf(one) === cellsOf(other)

const cellsOf = (entry: string): string => entry.replace(/ +\|/g, ' |')

/**
 * The entries of each setting.
 * @param source the text of src/settings/, in which a comment above each setting describes it
 */
export function settingEntries(groups: Groups, source: string) {
  const settings = Object.values(groups).flatMap((group) => Object.entries(group.in.shape))
  return settings.map(([name, type]) => {
    const description = new RegExp(`/\\*\\* (.+) \\*/\\s+\\w+: \\[\\s*["']${name}["']`).exec(source)?.[1]
    if (!description) throw new Error(`src/settings/: describe ${name} in one line /** … */ above it`)
    // What the service says about a value that is always wrong, unless every text is right.
    // One with <NAME> takes a record, of which each value is like this one.
    const isNamed = name.includes('<NAME>')
    const rule = type
      .safeParse(isNamed ? { [name]: '\0' } : '\0')
      .error?.issues[0]?.message.replace(/^must be /, '')
    const preset = type.safeParse(undefined)
    const value = isNamed ? '' : preset.success ? String(preset.data ?? '') : 'change-me-for-32-random-bytes'
    const shown = preset.success ? (value && `\`${value}\``) || 'empty' : 'none, required'
    return {
      name,
      paragraph: `# ${description}${rule ? ` Must be ${rule}.` : ''}\n${isNamed ? '# ' : ''}${name}=${value}\n`,
      row: `| \`${name}\` | ${shown} | ${rule ?? 'text'} | ${description} |\n`,
    }
  })
}
