import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Context } from '../context.ts'
import {
  ClientError,
  createClient,
  isClientName,
  listClients,
  readScopes,
  revokeClient,
  rotateSecret,
} from '../service-clients/clients.ts'
import { CommandError, orCommandError } from './user-commands.ts'

const usage = `Usage: clients <command>
  create <name> [--scope <scopes>]  create a client; prints its secret
  list [--json]                     list all clients
  rotate <name> [--now]             replace the secret; the old one works for CLIENT_SECRET_OVERLAP_HOURS
                                    more, with --now not at all
  revoke <name>                     revoke a client and its tokens, for good`

const options = {
  scope: { type: 'string' },
  json: { type: 'boolean' },
  now: { type: 'boolean' },
} satisfies ParseArgsConfig['options']

/** The options of each command. */
const commands: Record<string, (keyof typeof options)[]> = {
  create: ['scope'],
  list: ['json'],
  rotate: ['now'],
  revoke: [],
}

/**
 * Runs `[name, ...arguments and options]`.
 * @returns what was done
 * @throws CommandError with exit code 2 if the line is wrong
 */
export async function runClientCommand(ctx: Context, line: string[]): Promise<string> {
  const { command, name, given } = parse(line)
  try {
    return await orCommandError(() => run(ctx, command, name, given))
  } catch (error) {
    throw error instanceof ClientError ? new CommandError(error.message) : error
  }
}

type Given = { scope?: string; json?: boolean; now?: boolean }

async function run(ctx: Context, command: string, name: string, { scope = '', json, now }: Given) {
  const log = (event: string) =>
    ctx.log.info({ event, client: name, command }, event.replaceAll(/[._]/g, ' '))
  switch (command) {
    case 'create': {
      if (!isClientName(name))
        throw new CommandError(
          'The name must be 1 to 64 of A-Z a-z 0-9 . _ - and begin with a letter or digit.',
        )
      const scopes = readScopes(scope)
      if (!scopes)
        throw new CommandError(
          '--scope must be scopes separated by spaces, such as "orders:read orders:write".',
        )
      const secret = await createClient(ctx, name, scopes)
      log('client.created')
      return `Created client ${name}. Its secret, shown only here:\n${secret}`
    }
    case 'rotate': {
      const hours = now ? 0 : ctx.config.serviceClients.overlapHours
      const secret = await rotateSecret(ctx, name, hours * 60 * 60_000)
      log('client.secret_rotated')
      const old = hours > 0 ? `works for ${hours} more hours` : 'no longer works'
      return `The old secret of ${name} ${old}. The new one, shown only here:\n${secret}`
    }
    case 'revoke':
      await revokeClient(ctx, name)
      log('client.revoked')
      return `Revoked client ${name} and its access tokens.`
    default:
      return describe(await listClients(ctx), ctx.now(), json)
  }
}

/** One line for each client. */
function describe(clients: Awaited<ReturnType<typeof listClients>>, now: number, json = false): string {
  const rows = clients.map(({ name, scope, createdAt, previousEndsAt, revokedAt }) => ({
    client_id: name,
    scope,
    created_at: createdAt.toISOString(),
    old_secret_until: Number(previousEndsAt) > now ? (previousEndsAt?.toISOString() ?? null) : null,
    revoked_at: revokedAt?.toISOString() ?? null,
  }))
  if (json) return rows.map((row) => JSON.stringify(row)).join('\n')
  if (rows.length === 0) return 'No clients.'
  const width = Math.max(...rows.map((row) => row.client_id.length))
  return rows
    .map(({ client_id: name, scope, old_secret_until: until, revoked_at: revoked }) => {
      const state = revoked ? `revoked ${revoked}` : until ? `two secrets until ${until}` : 'active'
      return `${name.padEnd(width)}  ${state}  ${scope}`.trimEnd()
    })
    .join('\n')
}

/** @throws CommandError with exit code 2 and the usage */
function parse(line: string[]): { command: string; name: string; given: Given } {
  try {
    const [command = '', ...args] = line
    const allowed = commands[command] ?? []
    const own = Object.fromEntries(allowed.map((option) => [option, options[option]]))
    const { positionals, values } = parseArgs({ args, options: own, allowPositionals: true })
    const [name = ''] = positionals
    const isRight = Object.hasOwn(commands, command) && positionals.length === (command === 'list' ? 0 : 1)
    if (isRight) return { command, name, given: values as Given }
  } catch {
    // An option that the command does not have.
  }
  throw new CommandError(usage, 2)
}
