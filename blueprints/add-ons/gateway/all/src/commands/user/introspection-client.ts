import { createHash, randomBytes } from 'node:crypto'
import { CommandError, type UserCommand } from '../user-commands.ts'

const command = {
  arguments: ['name'],
  summary: 'print a secret and a line of INTROSPECTION_CLIENTS for a service',
  async run(_context, name) {
    if (!/^[\w.-]{1,64}$/.test(name ?? ''))
      throw new CommandError('The name must be 1 to 64 of A-Z a-z 0-9 . _ -')
    const secret = randomBytes(32).toString('base64url')
    // A plain hash, because no one can guess 256 random bits.
    const hash = createHash('sha256').update(secret).digest('base64url')
    return [
      'The secret, shown only here:',
      secret,
      'The setting; with several clients, separate them by commas:',
      `INTROSPECTION_CLIENTS=${name}:${hash}`,
    ].join('\n')
  },
} satisfies UserCommand

export default { 'introspection-client': command }
