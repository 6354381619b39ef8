import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { z } from 'zod'
import * as groups from './settings/index.ts'

type Groups = typeof groups
type Env = NodeJS.ProcessEnv

/** The parsed configuration, by group of src/settings/: typed, complete and frozen. */
export type Config = { readonly [Group in keyof Groups]: Readonly<z.output<Groups[Group]>> }

/** Its message has one line for each missing or invalid setting. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

const names = Object.values(groups).flatMap((group) => Object.keys(group.in.shape))

/**
 * Turns environment variables into the configuration. An empty variable counts as not set; unknown ones are ignored.
 * @throws ConfigError that names every invalid setting, but never its value, which may be a secret
 */
export function loadConfig(env: Env): Config {
  const given = Object.fromEntries(names.map((name) => [name, readSetting(name, env)]))
  // A setting such as SHOP_<NAME>_URL is a record, with a value for each name that the environment has.
  for (const setting of names.filter((name) => name.includes('<NAME>'))) {
    const pattern = new RegExp(`^${setting.replace('<NAME>', '[A-Z][A-Z0-9]*')}$`)
    const all = Object.keys(env).map((name) => name.replace(/_FILE$/, ''))
    const values = all.filter((name) => pattern.test(name)).map((name) => [name, readSetting(name, env)])
    Object.assign(given, { [setting]: Object.fromEntries(values) })
  }
  const config: Record<string, unknown> = {}
  const lines: string[] = []
  for (const [name, group] of Object.entries(groups)) {
    const parsed = group.safeParse(given)
    if (parsed.success) config[name] = Object.freeze(parsed.data)
    else lines.push(...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`))
  }
  for (const [at, line] of lines.entries()) lines[at] = line.replace(/^\S*<NAME>\w*\./, '')
  // Two groups may read the same setting.
  if (lines.length > 0) throw new ConfigError([...new Set(lines)].join('\n'))
  return Object.freeze(config) as Config
}

/** The value of a setting, or of the file that NAME_FILE names: orchestrators mount secrets as files. */
function readSetting(name: string, env: Env): string | undefined {
  const [value, path] = [name, `${name}_FILE`].map((each) => clean(each, env[each]))
  if (value && path) throw new ConfigError(`${name} and ${name}_FILE are both set: delete one of them`)
  if (!path) return value || undefined
  try {
    const text = clean(name, new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)))
    if (text) return text
  } catch {}
  throw new ConfigError(`${name}_FILE must be the path of a readable file with one line of UTF-8 text`)
}

/** Drops a line break at the end, and spaces at either end unless they may belong to a secret. */
function clean(name: string, text = ''): string {
  const isSecret = /(SECRET|SECRET_KEY|PASSWORD)(_PREVIOUS)?$/.test(name)
  const value = text.replace(/\r?\n$/, '').replaceAll(isSecret ? '' : /^ +| +$/g, '')
  if (!/\p{Cc}/u.test(/PRIVATE_KEY/.test(name) ? value.replaceAll(/[\r\n]/g, '') : value)) return value
  throw new ConfigError(`${name} must not contain control characters, such as line breaks`)
}

/**
 * Reads the configuration from the environment, and what is not set there from `.env`. Warns of misspelled names. If
 * settings are invalid, prints one line for each and exits with code 1. Only server.ts and the commands call this.
 */
export function readConfig(): Config {
  // Editors on Windows begin a file with a byte order mark, which Node would take for a part of the first name.
  const file = existsSync('.env') ? readFileSync('.env', 'utf8').replace(/^\u{feff}/u, '') : ''
  const inFile = parseEnv(file)
  for (const line of [...cutValues(file, process.env), ...misspelled(inFile, process.env, names)])
    console.warn(`Configuration: ${line}`)
  for (const [name, value] of Object.entries(inFile)) process.env[name] ??= value
  try {
    return loadConfig(process.env)
  } catch (error) {
    // An image has no .env.example: there, settings come from the environment.
    const isNew = existsSync('.env.example') && !existsSync('.env')
    if (isNew && error instanceof ConfigError && error.message.includes(' is missing'))
      error.message += `\n${createEnv}`
    refuseToStart(error)
  }
}

const createEnv =
  'there is no .env. Create it: (umask 077 && sed "s|change-me.*|$(openssl rand -base64 32)|" .env.example > .env)'

const assignment = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(.*)$/gm

/** A line for each value of `.env` that a `#` ends where no comment begins, without the value: it may be a secret. */
export function cutValues(file: string, env: Env): string[] {
  const inFile = parseEnv(file)
  return [...file.matchAll(assignment)].flatMap(([, name = '', written = '']) => {
    const value = inFile[name] ?? ''
    const isCut = written.startsWith(`${value}#`) && (value !== '' || /^#\S/.test(written))
    return isCut && env[name] === undefined
      ? [`.env: the value of ${name} ends before its #: put it in quotes, or a space before a comment`]
      : []
  })
}

/** A line for each name, of `.env` or the environment, that is nearly that of a setting. */
export function misspelled(inFile: Env, env: Env, names: readonly string[]): string[] {
  const given = { ...inFile, ...env }
  // Short names in the environment belong to other programs, as do those of a platform that sets the right one too.
  const unknown = Object.keys(given).filter(
    (name) => !names.includes(name) && given[name] && (name in inFile || name.length > 7),
  )
  return unknown.flatMap((name) => {
    const meant = names.find((other) => lettersBeside(name, other) < 2 && lettersBeside(other, name) < 2)
    return meant === undefined || env[meant] || given[meant] === given[name]
      ? []
      : [`${name} is not a setting and is ignored: did you mean ${meant}?`]
  })
}

/** How many letters a name has that the other one has not. */
const lettersBeside = (name: string, other: string): number =>
  [...plain(other)].reduce((rest, letter) => rest.replace(letter, ''), plain(name)).length

const plain = (name: string): string => name.toUpperCase().replaceAll('_', '')

/** Exits with code 1 and the lines of a ConfigError. @throws any other error */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message.replaceAll(/^/gm, 'Configuration: '))
  process.exit(1)
}

/** @throws ConfigError that names the setting to change, if one is the reason why the service cannot listen */
export function refuseAddress(error: NodeJS.ErrnoException, host: string, port: number, name = 'PORT') {
  const { code = '' } = error
  if (code === 'EADDRINUSE')
    throw new ConfigError(`${name} ${port} is in use: stop the other process, or set another port`)
  if (code === 'EACCES') throw new ConfigError(`${name} ${port} needs rights: set a port from 1024`)
  if (!/^(EADDRNOTAVAIL|EAFNOSUPPORT|EAI_|EINVAL|ENOTFOUND)/.test(code)) throw error
  throw new ConfigError(`HOST ${host} is not an address of this machine: set 127.0.0.1, or 0.0.0.0 for all`)
}
