/** The commands of an operator. @type {import('../mutant.js').Mutant[]} */
export const commands = [
  {
    name: 'hashes and addresses in the output of a command that failed',
    file: 'src/commands/user-commands.ts',
    from: 'throw withoutValues(error)',
    to: 'throw error',
    tests: ['commands/user', 'security/import'],
  },
  {
    name: 'hashes and addresses in the error of a migration',
    file: 'src/db/applied.ts',
    from: 'const shown = withoutValues(error)',
    to: 'const shown = error',
    tests: ['security/error-leaks'],
  },
  {
    name: 'a user deleted by a mistyped command',
    file: 'src/commands/user/delete.ts',
    from: 'options.yes !== true',
    to: 'false',
    tests: ['commands/user-delete'],
  },
  {
    name: 'a printed link that verifies the address of a stranger',
    file: 'src/commands/user/emails.ts',
    from: 'if (!user.isVerified)',
    to: 'if (!user)',
    tests: ['security/reset-links'],
  },
  {
    name: 'a printed link that leaves no trace',
    file: 'src/commands/user/emails.ts',
    from: "log.info({ event: 'password_reset.link_created',",
    to: 'Object({',
    tests: ['security/events'],
  },
]
