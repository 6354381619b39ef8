import { createTwoFilesPatch } from 'diff'
import { visible } from './escape.ts'
import type { Change } from './pending.ts'

/** A change as a unified diff, with nothing in it that a terminal would obey, and no value of .env. */
export function diffOf({ path, before, after }: Change): string {
  const isSecret = path === '.env'
  const text = (state: Change['before']) => state?.bytes.toString() ?? ''
  const lines = (state: Change['before']) => (isSecret ? withoutValues(text(state)) : text(state))
  const patch = createTwoFilesPatch(
    before ? `a/${path}` : '/dev/null',
    after ? `b/${path}` : '/dev/null',
    lines(before),
    lines(after),
    undefined,
    undefined,
    { headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } },
  )
  return patch
    .split('\n')
    .map((line) => visible(line))
    .join('\n')
}

/**
 * What may be shown of a .env: a dry run's output lands in logs. Of a comment too, which may hold what was a setting; and
 * nothing of a line without a name, which may be the rest of a value.
 */
function withoutValues(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.replace(
        /^([ \t]*#?[ \t]*(?:export[ \t]+)?\w+[ \t]*=).+$|^(?![ \t]*(?:#|$|(?:export[ \t]+)?\w+[ \t]*=)).+$/,
        (_, name = '') => `${name}…`,
      ),
    )
    .join('\n')
}
