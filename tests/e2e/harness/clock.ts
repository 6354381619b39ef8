/**
 * A command that starts a service whose clock stands still, so that no limit, lease or pause can end on a busy machine.
 * Services started with the same command have the same time. SIGALRM advances it by 31 seconds: that ends the pause
 * after a failed mail, but not the lease on a mail that is being sent.
 * @param service the arguments of node that start it
 */
export function withStandingClock(
  service: readonly string[] = ['dist/server.js'],
): readonly [string, ...string[]] {
  const module = `let time = ${Date.now()}; Date.now = () => time; process.on('SIGALRM', () => { time += 31_000 })`
  return ['node', '--import', `data:text/javascript,${module}`, ...service]
}
