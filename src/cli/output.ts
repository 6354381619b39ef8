import { EXIT, failed, type UserError } from '../system/errors.ts'
import { jsonText } from '../system/json.ts'
import { shorten, visible, visibleJson } from '../system/printing.ts'
import type { Output } from '../system/system.ts'
import type { Ignored } from '../tools/git.ts'
import type { ToolRun } from '../tools/tool-run.ts'

/** What a command did. */
export interface Result {
  /** What is left to do. */
  readonly failure?: UserError | undefined
  /** Lines on standard error before the failure, only as text. */
  readonly details?: readonly string[]
  readonly text: string
  /** What was written, but git ignores. */
  readonly ignored?: Ignored
  /** What `--json` prints after `ok`, `exitCode` and `error`. */
  readonly members: object
}

/** Prints a result, as text or as one JSON object. @returns the exit code */
export function printResult(
  output: Output,
  json: boolean | undefined,
  { failure, details = [], text, ignored, members }: Result,
): number {
  const code = failure?.code ?? 'done'
  const error = failure && { code, message: visible(failure.message) }
  if (json) printJson(output, { ok: !error, exitCode: EXIT[code], error, ...members, ignored })
  else {
    output.print(text)
    for (const line of [...ignoredLines(ignored), ...details]) output.warn(`${line}\n`)
    if (error) output.warn(`create-authsmith: ${error.message}\n`)
  }
  return EXIT[code]
}

/** A line for each pattern. */
const ignoredLines = (ignored: Ignored = []): string[] =>
  [...grouped(ignored, ({ source }) => source)]
    .map(([source, files]) => [shorten(files.map(({ path }) => path).join(', '), 200), source])
    .map(([paths, source]) => visible(`  ignored by git: ${paths}, because of ${source}`))

/** Prints a JSON document, with terminal escapes made visible (CWE-150). */
export const printJson = (output: Output, value: object): void => output.print(visibleJson(jsonText(value)))

const isFailed = ({ status }: ToolRun) => status === 'failed'

/** One line for each tool that did not fail, such as "  git: skipped (--no-git)". */
export const toolLines = (steps: readonly ToolRun[]): string[] =>
  steps
    .filter((step) => !isFailed(step))
    .map(({ name, status, detail }) => `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`)

/** The last lines that the failed tools printed. */
export const failedOutput = (steps: readonly ToolRun[]): string[] =>
  steps
    .filter(isFailed)
    .flatMap(({ detail = '' }) => detail.split('\n'))
    .map((line) => `  ${visible(line)}`)

/**
 * Which tools failed, and the command that repeats each.
 * @param done what succeeded, such as "The project was written"
 * @param before the commands to run first
 * @returns undefined if none failed
 */
export function toolFailure(
  steps: readonly ToolRun[],
  done: string,
  before: readonly string[] = [],
): UserError | undefined {
  const repeats = steps
    .filter(isFailed)
    .map(
      ({ name, command = '' }) => `${name} failed. To repeat it, run: ${[...before, command].join(' && ')}`,
    )
  return repeats.length === 0 ? undefined : failed(`${done}, but ${repeats.join('; ')}`)
}

/** The items by a key, in the order in which the keys appear. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
