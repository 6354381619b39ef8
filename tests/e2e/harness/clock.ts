/**
 * A command that starts a service whose clock stands still, so that a limit's minute cannot end on a busy machine.
 * Services started with the same command have the same time.
 */
export function withStandingClock(): readonly [string, ...string[]] {
  return ['node', '--import', `data:text/javascript,Date.now = () => ${Date.now()}`, 'dist/server.js']
}
