import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { z } from 'zod'
import { type Config, ConfigError } from '../config.ts'
import type { Context } from '../context.ts'
import { type Database, openDatabase } from '../db/database.ts'
import { isUnavailable, withoutValues } from '../db/dialect.ts'
import { migrate } from '../db/migrate.ts'
import { ApiError } from '../errors/api-error.ts'
import type { ProposedPassword } from '../passwords/rules.ts'
import { newPassword } from '../schemas/user.ts'
import type { User } from '../users/users.ts'

/** What a command can use. */
export interface CommandContext extends Context {
  /** Prompts for a password without showing it. */
  readPassword: () => Promise<string>
  /** The given ones of the command's options. Parse them with `checked`. */
  options: Record<string, unknown>
}

/** Each file in user/ exports some, by name. */
export interface UserCommand {
  /** Names of the arguments, all required. */
  arguments: string[]
  /** `--name` or `--name=value`, by name. */
  options?: Record<string, { type: 'boolean' | 'string' }>
  summary: string
  /** @returns what was done, usually one line. @throws CommandError */
  run(context: CommandContext, ...args: string[]): Promise<string>
}

/** The reason why a command was refused. Nothing was changed. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** The commands in user/, by name. */
export async function loadUserCommands(): Promise<Map<string, UserCommand>> {
  const folder = join(import.meta.dirname, 'user')
  const files = (await readdir(folder)).filter((file) => /\.[jt]s$/.test(file))
  const modules = await Promise.all(files.map((file) => import(pathToFileURL(join(folder, file)).href)))
  const commands: Record<string, UserCommand> = Object.assign({}, ...modules.map((module) => module.default))
  return new Map(Object.entries(commands).sort())
}

/**
 * Applies pending migrations and opens the database.
 * @param waitMs how long to wait for another process: a person sits in front of the command
 * @throws CommandError if the database is locked or down
 */
export const openCommandDatabase = (settings: Config['database'], waitMs = 5_000): Promise<Database> =>
  orCommandError(async () => {
    // First: migrations create a database, also where the path is mistyped.
    const db = openDatabase(settings)
    try {
      await migrate(settings, undefined, waitMs)
      return db
    } catch (error) {
      await db.close()
      throw error
    }
  })

/**
 * Runs `[name, ...arguments and options]`.
 * @returns what was done, usually one line
 * @throws CommandError with exit code 2 and the list of commands if the name, the arguments or the options are wrong
 */
export async function runUserCommand(
  commands: Map<string, UserCommand>,
  [name = '', ...args]: string[],
  context: Omit<CommandContext, 'options'>,
): Promise<string> {
  const command = commands.get(name)
  const given = command && parse(args, command.options)
  if (!command || command.arguments.length !== given?.positionals.length)
    throw new CommandError(usage(commands), 2)
  const log = context.log.child({ command: name })
  return orCommandError(() => command.run({ ...context, log, options: given.values }, ...given.positionals))
}

/** Undefined if an option is unknown, or lacks its value. */
function parse(args: string[], options: ParseArgsConfig['options'] = {}) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch {
    return undefined
  }
}

function usage(commands: Map<string, UserCommand>): string {
  const lines = [...commands].flatMap(([name, command]) => {
    const options = Object.entries(command.options ?? {}).map(([option, { type }]) =>
      type === 'boolean' ? `[--${option}]` : `[--${option} <${option}>]`,
    )
    const call = [name, ...command.arguments.map((argument) => `<${argument}>`), ...options].join(' ')
    return call.length > 32
      ? [`  ${call}`, `${' '.repeat(35)}${command.summary}`]
      : [`  ${call.padEnd(32)} ${command.summary}`]
  })
  return ['Usage: user <command>', ...lines].join('\n')
}

/** @throws CommandError if no user has this username or email */
export async function findUser({ users }: Context, login: string): Promise<User> {
  const user = await users.findByLogin(login)
  if (!user) throw new CommandError(`There is no user ${JSON.stringify(login)}.`)
  return user
}

/**
 * A command that does one thing to one user.
 * @param done what is said about the user afterwards
 */
export const onUser = (given: {
  summary: string
  event: string
  change: (ctx: CommandContext, user: User) => Promise<unknown>
  done: string
}): UserCommand => ({
  arguments: ['username'],
  summary: given.summary,
  async run(ctx, login) {
    const user = await findUser(ctx, login)
    await given.change(ctx, user)
    ctx.log.info({ event: given.event, userId: user.id }, given.event.replaceAll('.', ' '))
    return `User ${user.username} ${given.done}.`
  },
})

/** Parses a value as the API does. @throws CommandError with every rule that the value breaks */
export function checked<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new CommandError(
    parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join('\n'),
  )
}

/**
 * Prompts for a new password of a user.
 * @returns its hash
 * @throws CommandError with every rule that the password breaks; that of an addition that refuses it
 */
export async function readNewPassword(
  { config, credentials, readPassword }: CommandContext,
  user: ProposedPassword['user'],
): Promise<string> {
  const password = checked(newPassword(config.credentials), await readPassword())
  credentials.validateNew({ password, user, field: 'password' })
  return credentials.hash(password)
}

/** Turns an ApiError, or a database that cannot be used, into a CommandError. Another error shows no hashes and addresses. */
export async function orCommandError<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(`${error.message}.`)
    if (error instanceof ConfigError) throw new CommandError(error.message)
    if (isUnavailable(error)) throw new CommandError('The database is locked or down. Try again later.')
    throw withoutValues(error)
  }
}
