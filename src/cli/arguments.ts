import { Command, CommanderError, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { CopyRequest } from '../copy/copy-data.ts'
import { COPY_EXAMPLES, EXAMPLES, EXIT_CODES, REGENERATE_EXAMPLES } from './help-texts.ts'
import type { AnswerFlags } from './resolve-answers.ts'
import { refuseFlagsBefore, refuseMisspelling, refuseRepetition, usageError } from './usage-errors.ts'

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
  readonly existingUsers: 'unverified' | 'verified'
  readonly forgetFormer?: true
  readonly dryRun?: true
  readonly check?: true
  readonly continue?: true
  readonly abort?: true
  readonly allowDirty?: true
  readonly yes?: true
  readonly json?: true
}

/** The flags of `status`. */
export interface StatusFlags {
  readonly json?: true
}

/** The flags of `copy-data`. */
export interface CopyFlags extends CopyRequest {
  readonly json?: true
}

export type Arguments =
  | { readonly kind: 'help' | 'version'; readonly text: string }
  | { readonly kind: 'create'; readonly directory: string | undefined; readonly flags: Flags }
  | { readonly kind: 'regenerate'; readonly flags: RegenerateFlags }
  | { readonly kind: 'status'; readonly flags: StatusFlags }
  | { readonly kind: 'copy-data'; readonly flags: CopyFlags }

/**
 * Reads the command line.
 * @param argv the arguments, without node and the script
 * @throws UserError (usage) for unknown, repeated, conflicting or incomplete flags, extra arguments and misspelt
 *   commands
 */
export function parseArguments(argv: readonly string[]): Arguments {
  let parsed: Arguments = { kind: 'help', text: '' }
  let text = ''
  const program = createCommand((directory, flags) => {
    parsed = { kind: 'create', directory, flags }
  }).configureOutput({
    writeOut: (part) => {
      text += part
    },
    writeErr: () => {},
  })
  addRegenerate(program, (flags) => {
    parsed = { kind: 'regenerate', flags }
  })
  addStatus(program, (flags) => {
    parsed = { kind: 'status', flags }
  })
  addCopyData(program, (flags) => {
    parsed = { kind: 'copy-data', flags }
  })
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

/** The default command: creates a project. The other commands inherit its settings. */
function createCommand(action: (directory: string | undefined, flags: Flags) => void): Command {
  return new Command('create-authsmith')
    .description(`${packageJson.description}.`)
    .argument('[directory]', 'where to create the project; its last segment is the name, . is this directory')
    .option('-m, --mode <mode>', 'authentication mode: none, basic or complete')
    .option('-p, --profile <profile>', 'profile of the specification: A or B (not with mode none)')
    .option('-d, --database <database>', 'sqlite or postgres (default: sqlite)')
    .option('--package-manager <name>', 'npm, pnpm, yarn or bun (default: the one that runs this command)')
    .option('--no-install', 'do not install dependencies')
    .option('--no-git', 'do not create a git repository with a first commit')
    .option('-y, --yes', 'do not ask; missing answers are complete, B and sqlite')
    .option('--from <file>', 'read answers from a JSON file; flags override it')
    .option('--print-schema', 'print the JSON Schema of that file')
    .option('--dry-run', 'list the files, write nothing')
    .option('--json', 'print the result as one JSON object; do not ask')
    .option('--no-color', 'print without colors')
    .version(packageJson.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', EXIT_CODES)
    .exitOverride()
    .enablePositionalOptions()
    .hook('preSubcommand', refuseFlagsBefore)
    .action(action)
}

const ANSWERS = ['mode', 'profile', 'database', 'packageManager']

function addRegenerate(program: Command, action: (flags: RegenerateFlags) => void): void {
  program
    .command('regenerate')
    .summary('switch the project in this directory, or bring it up to date')
    .description(
      'Switches the mode, profile or database of the project in this directory, or brings it up to date.',
    )
    .option('-m, --mode <mode>', 'authentication mode: none, basic or complete (default: unchanged)')
    .option('-p, --profile <profile>', 'profile of the specification: A or B (default: unchanged)')
    .option('-d, --database <database>', 'sqlite or postgres (default: unchanged)')
    .option('--package-manager <name>', 'npm, pnpm, yarn or bun (default: unchanged)')
    .addOption(
      new Option('--existing-users <state>', 'what existing users become in mode complete')
        .choices(['unverified', 'verified'])
        .default('unverified'),
    )
    .addOption(
      new Option('--forget-former', 'stop accepting what the former profile issued').conflicts([
        'check',
        'continue',
        'abort',
        'existingUsers',
        ...ANSWERS,
      ]),
    )
    .addOption(
      new Option('--dry-run', 'show the changes as diffs, write nothing').conflicts([
        'check',
        'continue',
        'abort',
      ]),
    )
    .addOption(
      new Option('--check', 'write nothing; exit with 3 if there is something to update').conflicts([
        'continue',
        'abort',
        ...ANSWERS,
      ]),
    )
    .addOption(
      new Option('--continue', 'finish an interrupted update, or one whose conflicts are resolved').conflicts(
        ['abort', ...ANSWERS],
      ),
    )
    .addOption(new Option('--abort', 'undo such an update').conflicts(ANSWERS))
    .option('--allow-dirty', 'update even if changes are not committed')
    .option('-y, --yes', 'do not ask; keep what no flag changes. With --abort: discard later edits')
    .option('--no-install', 'do not install dependencies')
    .option('--json', 'print the result as one JSON object; do not ask')
    .option('--no-color', 'print without colors')
    .addHelpText('after', REGENERATE_EXAMPLES)
    .action(action)
}

function addStatus(program: Command, action: (flags: StatusFlags) => void): void {
  program
    .command('status')
    .summary('show how this project was generated and which files changed')
    .description('Shows how the project in this directory was generated, and which of its files changed.')
    .option('--json', 'print the result as one JSON object')
    .option('--no-color', 'print without colors')
    .action(action)
}

function addCopyData(program: Command, action: (flags: CopyFlags) => void): void {
  program
    .command('copy-data')
    .summary('copy all rows from one database to another')
    .description('Copies all rows from another database into the database of the project in this directory.')
    .requiredOption('--from <database>', 'copy from this database: file:<path> or postgres://…')
    .requiredOption('--to <database>', "copy to this database, which must be of the project's kind")
    .option('--skip <names...>', 'leave out these tables, or columns written as table.column')
    .option('--json', 'print the result as one JSON object')
    .option('--no-color', 'print without colors')
    .addHelpText('after', COPY_EXAMPLES)
    .action(action)
}
