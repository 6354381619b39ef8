import { visible } from '../system/printing.ts'
import type { ToolRun } from '../tools/tool-run.ts'

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
