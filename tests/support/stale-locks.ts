/** Higher than any process id: no such process is alive. */
export const DEAD = 99_999_999

/** The text of a lock that a dead process may leave. */
export const STALE_LOCKS: Record<string, string | undefined> = {
  'no lock': undefined,
  'the lock of a dead process': `${DEAD}\n`,
  'an empty lock': '',
}
