import { Command, CommanderError, InvalidArgumentError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import type { AnswerFlags } from './collect.ts'
import { UserError } from './errors.ts'
import { shorten } from './escape.ts'

export interface Flags extends AnswerFlags {
  readonly install: boolean
  readonly git: boolean
  readonly yes?: true
  readonly from?: string
  readonly printSchema?: true
  readonly dryRun?: true
  readonly json?: true
}

export type Arguments =
  | { readonly kind: 'help' | 'version'; readonly text: string }
  | { readonly kind: 'create'; readonly directory: string | undefined; readonly flags: Flags }

const EXAMPLES = `
Examples:
  npm create authsmith@latest my-api
  npm create authsmith@latest my-api -- --mode basic --profile B --yes
  npm create authsmith@latest . -- --mode none --yes --no-git
  npm create authsmith@latest my-api -- --from answers.json --json

Exit codes:
  0    done
  1    a step after writing failed, or something unexpected; the message says
       what is there and which command repeats the step
  2    wrong usage or answers
  3    refused: the target is not empty, or is a symbolic link
  4    conflicts are left to solve (regenerate)
  130  interrupted`

/**
 * Reads the command line.
 * @param argv the arguments, without node and the script
 * @throws UserError (usage) for unknown, repeated or incomplete flags and extra arguments
 */
export function parseArguments(argv: readonly string[]): Arguments {
  let text = ''
  const program = commandLine().configureOutput({
    writeOut: (part) => {
      text += part
    },
    writeErr: () => {},
  })
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text }
    if (error.code === 'commander.version') return { kind: 'version', text }
    throw usageError(error)
  }
  return { kind: 'create', directory: program.args[0], flags: program.opts<Flags>() }
}

function commandLine(): Command {
  const program = new Command('create-authsmith')
    .description(`${packageJson.description}.`)
    .argument('[directory]', "where to write; its last segment is the project's name; . is here")
    .option('-m, --mode <mode>', 'authentication mode: none, basic, complete')
    .option('-p, --profile <profile>', 'profile of the specification: A, B; absent with mode none')
    .option('-d, --database <database>', 'sqlite, postgres (default: sqlite)')
    .option('--package-manager <name>', 'npm, pnpm, yarn, bun (default: the one that runs this)')
    .option('--no-install', 'do not install the dependencies')
    .option('--no-git', 'do not make a git repository with a first commit')
    .option('-y, --yes', 'ask nothing: what no flag says is complete, B, sqlite')
    .option('--from <file>', 'take answers from a JSON file; flags win')
    .option('--print-schema', 'print the JSON Schema of that file')
    .option('--dry-run', 'list what would be written, write nothing')
    .option('--json', 'print one JSON object and nothing else; asks nothing')
    .version(packageJson.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXAMPLES)
    .exitOverride()
  for (const option of program.options)
    refuseRepetition(program, `option:${option.name()}`, option.long ?? option.flags)
  return program
}

/** The last of two flags would win silently: one of them is a mistake, and only the user knows which. */
function refuseRepetition(program: Command, event: string, flag: string): void {
  let given = false
  program.on(event, () => {
    if (given) throw new InvalidArgumentError(`${flag} is given twice`)
    given = true
  })
}

function usageError({ code, message }: CommanderError): UserError {
  const line = shorten(message.replace(/^error: |\.$/g, '').replaceAll('\n', ' '), 200)
  const hint =
    code === 'commander.excessArguments' ? 'with npm, put -- before the flags; see --help' : 'see --help'
  return new UserError('usage', `${line}; ${hint}`)
}
