import { failed, UserError } from '../system/errors.ts'
import type { Output, System } from '../system/system.ts'
import { parseArguments } from './arguments.ts'
import { printResult } from './output.ts'

/**
 * Runs the command. Never throws. Help and usage errors load only commander, to be fast.
 * @param argv the arguments, without node and the script
 * @param openSystem creates the system when a command needs it
 * @returns the exit code
 */
export async function main(
  argv: readonly string[],
  output: Output,
  openSystem: () => Promise<System>,
): Promise<number> {
  // Read before the other arguments, because errors in them are reported as JSON too.
  const json = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined).includes('--json')
  try {
    const parsed = parseArguments(argv)
    if (parsed.kind === 'create') {
      const { createCommand } = await import('./create-command.ts')
      return await createCommand(parsed.directory, parsed.flags, await openSystem())
    }
    if (parsed.kind === 'regenerate') {
      const { regenerateCommand } = await import('./regenerate-command.ts')
      return await regenerateCommand(parsed.flags, await openSystem())
    }
    if (parsed.kind === 'add-ons') {
      const { addOnCommand } = await import('./regenerate-command.ts')
      return await addOnCommand(parsed.change, parsed.names, parsed.flags, await openSystem())
    }
    if (parsed.kind === 'status') {
      const { statusCommand } = await import('./status-command.ts')
      return statusCommand(parsed.flags, await openSystem())
    }
    if (parsed.kind === 'audit') {
      const { auditCommand } = await import('./audit-command.ts')
      return await auditCommand(parsed.flags, await openSystem())
    }
    if (parsed.kind === 'copy-data') {
      const { copyDataCommand } = await import('./copy-command.ts')
      return await copyDataCommand(parsed.flags, await openSystem())
    }
    const { kind, text } = parsed
    return printResult(output, json, { text, members: { [kind]: text.trimEnd() } })
  } catch (error) {
    const failure = error instanceof UserError ? error : unexpected(error)
    return printResult(output, json, { failure, text: '', members: {} })
  }
}

/** A bug in create-authsmith. The first line of the stack helps to report it. */
function unexpected(error: unknown): UserError {
  const { stack, message } = error instanceof Error ? error : new Error(String(error))
  const [, at = ''] = /^\s+(at .*)$/m.exec(stack ?? '') ?? []
  return failed(`Unexpected error: ${message} ${at}`.trim())
}
