import type { z } from 'zod'
import * as groups from './settings/index.ts'

type Groups = typeof groups

/** The parsed configuration, by group of src/settings/: typed, complete and frozen. */
export type Config = { readonly [Group in keyof Groups]: Readonly<z.output<Groups[Group]>> }

/** Its message has one line for each missing or invalid setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Turns environment variables into the configuration. An empty variable counts as not set; unknown ones are ignored.
 * @throws ConfigError that names every invalid setting, but never its value, which may be a secret
 */
export function loadConfig(env: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const config: Record<string, unknown> = {}
  const lines: string[] = []
  for (const [name, group] of Object.entries(groups)) {
    const parsed = group.safeParse(given)
    if (parsed.success) config[name] = Object.freeze(parsed.data)
    else lines.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
  }
  if (lines.length > 0) throw new ConfigError(lines.join('\n'))
  return Object.freeze(config) as Config
}
