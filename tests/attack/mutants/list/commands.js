/** The commands of an operator. @type {import('../mutant.js').Mutant[]} */
export const commands = [
  {
    name: 'an imported hash that asks for gigabytes or hours',
    file: 'src/schemas/imported-user.ts',
    from: 'text(512).refine(isUsableHash,',
    to: 'text(512).refine(() => true,',
    tests: ['security/import'],
  },
  {
    name: 'an imported line with rights that are ignored, and nobody notices',
    file: 'src/schemas/imported-user.ts',
    from: '.strictObject({',
    to: '.object({',
    tests: ['security/import'],
  },
  {
    name: 'a user deleted by a mistyped command',
    file: 'src/commands/user/delete.ts',
    from: 'options.yes !== true',
    to: 'false',
    tests: ['commands/user'],
  },
  {
    name: 'a printed link that verifies the address of a stranger',
    file: 'src/commands/user/reset-link.ts',
    from: 'if (!user.isVerified)',
    to: 'if (!user)',
    tests: ['security/reset-links'],
  },
  {
    name: 'a printed link that leaves no trace',
    file: 'src/commands/user/reset-link.ts',
    from: "log.info({ event: 'password_reset.link_created',",
    to: 'Object({',
    tests: ['security/events'],
  },
]
