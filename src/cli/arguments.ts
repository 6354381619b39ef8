import { CommanderError } from 'commander'
import { createProgram } from './commands.ts'
import type { Invocation } from './flags.ts'
import { refuseMisspelling, refuseRepetition, usageError } from './usage-errors.ts'

export type Arguments = Invocation | { readonly kind: 'help' | 'version'; readonly text: string }

/**
 * Reads the command line.
 * @param argv the arguments, without node and the script
 * @throws UserError (usage) for unknown, repeated, conflicting or incomplete flags, extra arguments and misspelt
 *   commands
 */
export function parseArguments(argv: readonly string[]): Arguments {
  let parsed: Arguments = { kind: 'help', text: '' }
  let text = ''
  const program = createProgram(
    (invocation) => {
      parsed = invocation
    },
    (part) => {
      text += part
    },
  )
  for (const command of [program, ...program.commands]) refuseRepetition(command)
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text }
    if (error.code === 'commander.version') return { kind: 'version', text }
    refuseMisspelling(program)
    throw usageError(error)
  }
  refuseMisspelling(program)
  return parsed
}
