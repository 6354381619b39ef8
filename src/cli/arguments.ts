import { type Command, CommanderError } from 'commander'
import { closest } from '../system/closest.ts'
import { type UserError, wrongUsage } from '../system/errors.ts'
import { shorten } from '../system/printing.ts'
import { createProgram, type Invocation } from './commands.ts'

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
  program.hook('preSubcommand', refuseFlagsBefore)
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

/** Refuses a repeated flag, unless it collects its values. Commander would silently use the last one. */
function refuseRepetition(command: Command): void {
  for (const option of command.options.filter(({ variadic, parseArg }) => !variadic && !parseArg)) {
    let isGiven = false
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw wrongUsage(`\`${option.long}\` is given twice. Remove one of them.`)
      isGiven = true
    })
  }
}

/** Refuses a directory name that is one typo away from a command. Commander allows three, also for `start`. */
function refuseMisspelling(program: Command): void {
  const [word = ''] = program.args
  const meant = closest(
    word,
    program.commands.map((command) => command.name()),
  )
  if (!meant) return
  throw wrongUsage(
    `Unknown command \`${word}\`. Did you mean ${meant}? To create a project of that name, use \`./${word}\`.`,
  )
}

/** Refuses flags before a command: they would belong to another one. */
function refuseFlagsBefore(program: Command, command: Command): void {
  const isGiven = program.options.some(
    (option) => program.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (!isGiven) return
  const name = command.name()
  throw wrongUsage(
    `\`${name}\` is a command: put it before its flags. To create a project of that name, use \`./${name}\`.`,
  )
}

const FIXES: Record<string, string> = {
  'commander.excessArguments': 'With npm, put `--` before the flags.',
  'commander.conflictingOption': 'Remove one of them.',
}

/** What commander refuses, in our words: what is wrong, then how to fix it. */
function usageError({ code, message }: CommanderError): UserError {
  // The value of a mistyped flag may be a password (CWE-532).
  const withoutValue = message.replace(/(unknown option '-[^'=]*)=[\s\S]*?(?='(?:\n|$))/, '$1')
  const [, what = '', suggestion] =
    /^(?:error: )?(.*?)\.?(?:\n\((Did you mean .*)\))?$/s.exec(withoutValue) ?? []
  const sentence = (what.charAt(0).toUpperCase() + what.slice(1)).replace(/'(-[^']*)'/g, '`$1`')
  return wrongUsage(`${shorten(sentence, 200)}. ${suggestion ?? FIXES[code] ?? 'See `--help`.'}`)
}
