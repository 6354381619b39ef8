/** The log: one event for each refusal and change. @type {import('../mutant.js').Mutant[]} */
export const events = [
  {
    name: 'wrong passwords that leave no trace',
    file: 'src/errors/accounts.ts',
    from: "    event: 'login.failed',\n",
    to: '',
    tests: ['security/events'],
  },
  {
    name: 'forged access tokens that leave no trace',
    file: 'src/errors/accounts.ts',
    from: ", event: 'access_token.refused'",
    to: '',
    tests: ['security/events'],
  },
  {
    name: 'forged access tokens that leave no trace where none is needed',
    file: 'src/plugins/guards.ts',
    from: 'logEvent(request, error.logEntry)',
    to: 'void 0',
    tests: ['security/events'],
  },
  {
    name: 'a replayed refresh token that looks like an expired one',
    file: 'src/routes/api/v1/auth/refresh.ts',
    from: "event: 'refresh.replayed', level: 'warn', ",
    to: '',
    tests: ['security/events'],
  },
  {
    name: 'emails beyond the limit that leave no trace',
    file: 'src/email/outbox.ts',
    from: "log.info({ event: 'mail.limited',",
    to: 'Object({',
    tests: ['security/events'],
  },
  {
    name: 'a superuser made without a trace',
    file: 'src/commands/user-commands.ts',
    from: 'ctx.log.info({ event: given.event, userId: user.id }',
    to: 'Object({ userId: user.id }',
    tests: ['security/events'],
  },
  {
    name: 'a flood that fills the disk with events',
    file: 'src/plugins/error-handler.ts',
    from: '(await isRepeated(logEntry.limit, request.ip))',
    to: 'false',
    tests: ['security/events'],
  },
  {
    name: 'stolen tokens that survive the end of all sessions by an operator',
    file: 'src/accounts/manage-users.ts',
    from: 'change(ctx, id, asker, (tx) => endAccess(ctx, tx, id))',
    to: 'change(ctx, id, asker, () => Promise.resolve())',
    tests: ['commands/user'],
  },
]
