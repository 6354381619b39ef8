import { createTwoFilesPatch } from 'diff'
import { visible } from '../system/printing.ts'
import type { Change } from '../update/journal.ts'

/** A change as a unified diff. Terminal escapes are shown, not obeyed (CWE-150), and values of .env are hidden. */
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
 * Hides the secrets of a .env, because the output of a dry run may be logged (CWE-532). A comment may hold a former
 * setting, and a line without a name may be the rest of a value.
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
