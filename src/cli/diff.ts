import chalk from 'chalk'
import { createTwoFilesPatch } from 'diff'
import { visible } from '../system/printing.ts'
import type { Change } from '../update/journal/journal.ts'

/** A change as a unified diff. Terminal escapes are shown, not obeyed (CWE-150), and values of .env are hidden. */
export function diffOf({ path, before, after }: Change): string {
  const textOf = (state: Change['before']) => state?.bytes.toString() ?? ''
  const shown = (state: Change['before']) => (path === '.env' ? withoutValues(textOf(state)) : textOf(state))
  const patch = createTwoFilesPatch(
    before ? `a/${path}` : '/dev/null',
    after ? `b/${path}` : '/dev/null',
    shown(before),
    shown(after),
    undefined,
    undefined,
    { headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true } },
  )
  return eachLine(patch, visible)
}

export const coloredDiff = (diff: string): string => eachLine(diff, (line) => colorOf(line)(line))

function colorOf(line: string): (text: string) => string {
  if (/^(---|\+\+\+) /.test(line)) return chalk.bold
  if (line.startsWith('+')) return chalk.green
  if (line.startsWith('-')) return chalk.red
  return line.startsWith('@@') ? chalk.cyan : (text) => text
}

/** How many lines a diff adds and removes, such as "+12 -3". */
export function sizeOf(diff: string): string {
  const lines = diff.split('\n').slice(2)
  const starting = (sign: string) => lines.filter((line) => line.startsWith(sign)).length
  return `+${starting('+')} -${starting('-')}`
}

/**
 * Hides the secrets of a .env, because the output of a dry run may be logged (CWE-532). A comment may hold an
 * old setting, and a line without a name may be the rest of a value.
 */
const withoutValues = (text: string): string =>
  eachLine(text, (line) =>
    line.replace(
      /^([ \t]*#[^=]*=|[ \t]*(?:export[ \t]+)?\w+[ \t]*=)(?!\r?$).+$|^(?![ \t]*(?:#|\r?$|(?:export[ \t]+)?\w+[ \t]*=)).+$/s,
      (_, name = '') => `${name}…`,
    ),
  )

const eachLine = (text: string, change: (line: string) => string): string =>
  text
    .split('\n')
    .map((line) => change(line))
    .join('\n')
