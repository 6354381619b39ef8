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

/** The flags of `regenerate`. */
export interface RegenerateFlags extends AnswerFlags {
  readonly install: boolean
  readonly existingUsers?: string
  readonly dryRun?: true
  readonly check?: true
  readonly continue?: true
  readonly abort?: true
  readonly allowDirty?: true
  readonly yes?: true
  readonly json?: true
}

export type Arguments =
  | { readonly kind: 'help' | 'version'; readonly text: string }
  | { readonly kind: 'create'; readonly directory: string | undefined; readonly flags: Flags }
  | { readonly kind: 'regenerate'; readonly flags: RegenerateFlags }
  | { readonly kind: 'status'; readonly flags: { readonly json?: true } }

const EXIT_CODES = `
Exit codes:
  0    done
  1    a step after writing failed, or something unexpected; the message says
       what is there and which command repeats the step
  2    wrong usage or answers
  3    refused: the target is not empty, changes are not committed, the project
       is damaged, an update is under way; --check: there is something to do
  4    conflicts are left to solve
  130  interrupted`

const EXAMPLES = `
Examples:
  npm create authsmith@latest my-api
  npm create authsmith@latest my-api -- --mode basic --profile B --yes
  npm create authsmith@latest . -- --mode none --yes --no-git
  npm create authsmith@latest my-api -- --from answers.json --json

Inside a project (see create-authsmith regenerate --help):
  npx create-authsmith@latest regenerate --mode complete
  npx create-authsmith@latest status
${EXIT_CODES}`

const REGENERATE_EXAMPLES = `
Examples:
  npx create-authsmith@latest regenerate --mode complete
  npx create-authsmith@latest regenerate --profile B --dry-run
  npx create-authsmith@latest regenerate --continue
${EXIT_CODES}`

/**
 * Reads the command line.
 * @param argv the arguments, without node and the script
 * @throws UserError (usage) for unknown, repeated or incomplete flags and extra arguments
 */
export function parseArguments(argv: readonly string[]): Arguments {
  const [first, ...rest] = argv
  if (first === 'regenerate')
    return parse<RegenerateFlags>(regenerateLine(), rest, ({ flags }) => ({ kind: 'regenerate', flags }))
  if (first === 'status')
    return parse<{ json?: true }>(statusLine(), rest, ({ flags }) => ({ kind: 'status', flags }))
  return parse<Flags>(createLine(), argv, ({ directory, flags }) => {
    if (directory === 'regenerate' || directory === 'status') {
      throw new UserError(
        'usage',
        `${directory} is a command, and comes before its flags; ./${directory} is a directory of that name`,
      )
    }
    return { kind: 'create', directory, flags }
  })
}

function parse<F extends object>(
  line: Command,
  argv: readonly string[],
  toArguments: (parsed: { directory: string | undefined; flags: F }) => Arguments,
): Arguments {
  let text = ''
  line.exitOverride().configureOutput({
    writeOut: (part) => {
      text += part
    },
    writeErr: () => {},
  })
  for (const option of line.options)
    refuseRepetition(line, `option:${option.name()}`, option.long ?? option.flags)
  try {
    line.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed') return { kind: 'help', text }
    if (error.code === 'commander.version') return { kind: 'version', text }
    throw usageError(error)
  }
  return toArguments({ directory: line.args[0], flags: line.opts<F>() })
}

function createLine(): Command {
  return new Command('create-authsmith')
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
}

function regenerateLine(): Command {
  return new Command('create-authsmith regenerate')
    .description('Switches mode, profile or database of the project around you, or brings it up to date.')
    .option('-m, --mode <mode>', 'authentication mode: none, basic, complete (default: as it is)')
    .option('-p, --profile <profile>', 'profile of the specification: A, B (default: as it is)')
    .option('-d, --database <database>', 'sqlite, postgres (default: as it is)')
    .option('--package-manager <name>', 'npm, pnpm, yarn, bun (default: as it is)')
    .option('--existing-users <state>', 'what users are that come into mode complete: unverified, verified')
    .option('--dry-run', 'show what would change, with diffs; change nothing')
    .option('--check', 'change nothing; exit code 3 where there is something to do')
    .option('--continue', 'finish an update: interrupted, or its conflicts are solved')
    .option('--abort', 'take such an update back')
    .option('--allow-dirty', 'go on although changes are not committed')
    .option('-y, --yes', 'ask nothing: what no flag says stays; with --abort, lose later edits')
    .option('--no-install', 'do not install the dependencies')
    .option('--json', 'print one JSON object and nothing else; asks nothing')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', REGENERATE_EXAMPLES)
}

function statusLine(): Command {
  return new Command('create-authsmith status')
    .description('Says what the project around you was generated from, and what became of its files.')
    .option('--json', 'print one JSON object and nothing else')
    .helpOption('-h, --help', 'print this help')
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
