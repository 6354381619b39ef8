import { existsSync } from 'node:fs'
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

/**
 * Reads the configuration from the environment, and variables that are not set there from the file `.env`. If settings
 * are invalid, prints one line for each and exits with code 1. Only server.ts and the commands call this.
 */
export function readConfig(): Config {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  try {
    return loadConfig(process.env)
  } catch (error) {
    // An image has no .env.example: there, settings come from the environment.
    const isNew = existsSync('.env.example') && !existsSync('.env')
    const isMissing = error instanceof ConfigError && error.message.includes(' is missing')
    refuseToStart(isNew && isMissing ? new ConfigError(`${error.message}\n${createEnv}`) : error)
  }
}

const createEnv =
  'there is no .env. Create it: (umask 077 && sed "s|change-me.*|$(openssl rand -base64 32)|" .env.example > .env)'

/** Exits with code 1 and the lines of a ConfigError. @throws any other error */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message.replaceAll(/^/gm, 'Configuration: '))
  process.exit(1)
}

/** A ConfigError if another process has the port, otherwise the error itself. */
export const listenError = (error: unknown, port: number): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new ConfigError(`PORT ${port} is in use: stop the other process, or set another port`)
    : error
