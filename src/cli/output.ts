import { EXIT, type UserError } from '../system/errors.ts'
import { jsonText } from '../system/json.ts'
import { visible, visibleJson } from '../system/printing.ts'
import type { Output } from '../system/system.ts'
import type { ToolRun } from '../tools/tool-run.ts'

/** Prints the one object of `--json`, with terminal escapes made visible (CWE-150). */
export function printJson(output: Output, value: object): void {
  output.print(visibleJson(jsonText(value)))
}

/** Prints an error as text. */
export function printError(output: Output, message: string): void {
  output.warn(`create-authsmith: ${visible(message)}\n`)
}

/** An error as one object, for `--json`. */
export function jsonError({ code, message }: UserError): object {
  return { ok: false, exitCode: EXIT[code], error: { code, message: visible(message) } }
}

const isFailed = ({ status }: ToolRun) => status === 'failed'

/** One line for each tool that did not fail, such as "  git: skipped (--no-git)". */
export function toolLines(steps: readonly ToolRun[]): string[] {
  return steps
    .filter((step) => !isFailed(step))
    .map(({ name, status, detail }) => `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`)
}

/** The last lines that the failed tools printed. */
export function failedOutput(steps: readonly ToolRun[]): string[] {
  return steps
    .filter(isFailed)
    .flatMap(({ detail = '' }) => detail.split('\n'))
    .map((line) => `  ${visible(line)}`)
}

/**
 * Which tools failed, and the command that repeats each.
 * @param before the commands to run first
 * @returns undefined if none failed
 */
export function toolFailure(steps: readonly ToolRun[], before: readonly string[] = []): string | undefined {
  const repeats = steps
    .filter(isFailed)
    .map(
      ({ name, command = '' }) => `${name} failed. To repeat it, run: ${[...before, command].join(' && ')}`,
    )
  return repeats.length === 0 ? undefined : repeats.join('; ')
}
