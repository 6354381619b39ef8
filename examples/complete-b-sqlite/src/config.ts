import type { z } from 'zod'
import { accessTokens } from './settings/access-tokens.ts'
import { accounts } from './settings/accounts.ts'
import { credentials } from './settings/credentials.ts'
import { database } from './settings/database.ts'
import { rateLimits } from './settings/rate-limits.ts'
import { redis } from './settings/redis.ts'
import { server } from './settings/server.ts'
import { sessions } from './settings/sessions.ts'
import { mail } from './settings/smtp.ts'

/** Every setting of the service, by group. Each group parses and describes its variables. */
export const groups = {
  server,
  database,
  rateLimits,
  redis,
  accounts,
  accessTokens,
  credentials,
  sessions,
  mail,
}

/** The parsed configuration: typed, complete and frozen. */
export type Config = { readonly [Group in keyof typeof groups]: Readonly<z.output<(typeof groups)[Group]>> }

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
