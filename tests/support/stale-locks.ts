/** Higher than any process id: no such process is alive. */
export const DEAD = 99_999_999
export const FIRST = '00000000-0000-4000-8000-000000000001'
export const SECOND = '00000000-0000-4000-8000-000000000002'

/** What dead processes may leave: the text of each file by its name. */
export const STALE_LOCKS: Record<string, Record<string, string>> = {
  'no lock': {},
  'the lock of a dead process': { lock: `${DEAD}\n${FIRST}\n` },
  'the lock of a dead process, without a token': { lock: `${DEAD}\n` },
  'an empty lock': { lock: '' },
  'a lock that a dead process took over from another': {
    lock: `${DEAD}\n${FIRST}\n`,
    [`lock.${FIRST}.next.tmp`]: `${DEAD}\n${SECOND}\n`,
  },
  'drafts of killed processes': {
    [`lock.${FIRST}.tmp`]: `${DEAD}\n${SECOND}\n`,
    [`lock.${FIRST}.next.tmp.${SECOND}.tmp`]: '',
  },
  'a claim that no lock leads to': { [`lock.${FIRST}.next.tmp`]: `${DEAD}\n${SECOND}\n` },
}
