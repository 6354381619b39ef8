import { Command, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { PACKAGE_MANAGERS } from '../answers/package-managers.ts'
import { DATABASES, DEFAULTS, MODES, PROFILES } from '../answers/variant.ts'
import { EXISTING_USERS } from '../migrations/rows/rule.ts'
import { alternatives } from '../system/printing.ts'
import type { AuditFlags } from './audit-command.ts'
import type { CopyFlags } from './copy-command.ts'
import type { CreateFlags } from './create-command.ts'
import { ADD_ON_LIST, COPY_EXAMPLES, EXAMPLES, EXIT_CODES, REGENERATE_EXAMPLES } from './help-texts.ts'
import type { ChangeFlags, RegenerateFlags } from './regenerate-command.ts'
import type { AnswerFlags } from './resolve-answers.ts'

/** A command with its flags. */
export type Invocation =
  | { readonly kind: 'create'; readonly directory: string | undefined; readonly flags: CreateFlags }
  | { readonly kind: 'regenerate'; readonly flags: RegenerateFlags }
  | {
      readonly kind: 'add-ons'
      readonly change: 'add' | 'remove'
      readonly names: readonly string[]
      readonly flags: ChangeFlags
    }
  | { readonly kind: 'status'; readonly flags: { readonly json?: true } }
  | { readonly kind: 'audit'; readonly flags: AuditFlags }
  | { readonly kind: 'copy-data'; readonly flags: CopyFlags }

const ANSWERS = ['mode', 'profile', 'database', 'packageManager', 'add', 'remove']

/** The flags of `regenerate` that cannot be used together. */
const CONFLICTS: Record<string, string[]> = {
  dryRun: ['check', 'continue', 'abort'],
  diff: ['check', 'continue', 'abort'],
  check: ['continue', 'abort', ...ANSWERS],
  continue: ['abort', ...ANSWERS],
  abort: ANSWERS,
  forget: ['check', 'continue', 'abort', 'dryRun', 'diff', 'existingUsers', ...ANSWERS],
}

/**
 * The commands and their flags, as commander parses them.
 * @param onCommand called with the command that was parsed
 * @param onHelp called with each part of a help text
 */
export function createProgram(
  onCommand: (invocation: Invocation) => void,
  onHelp: (part: string) => void,
): Command {
  const program = createCommand()
    .configureOutput({ writeOut: onHelp, writeErr: () => {} })
    .action((directory: string | undefined, flags: CreateFlags) =>
      onCommand({ kind: 'create', directory, flags }),
    )
  addRegenerate(program).action((flags: RegenerateFlags) => onCommand({ kind: 'regenerate', flags }))
  for (const change of ['add', 'remove'] as const)
    addChange(program, change).action((names: string[], flags: ChangeFlags) =>
      onCommand({ kind: 'add-ons', change, names, flags }),
    )
  addStatus(program).action((flags) => onCommand({ kind: 'status', flags }))
  addAudit(program).action((flags: AuditFlags) => onCommand({ kind: 'audit', flags }))
  addCopyData(program).action((flags: CopyFlags) => onCommand({ kind: 'copy-data', flags }))
  return program
}

/** The default command: creates a project. The other commands inherit its settings. */
function createCommand(): Command {
  const command = new Command('create-authsmith')
    .description(`${packageJson.description}.`)
    .argument('[directory]', 'where to create the project; its last segment is the name, . is this directory')
  const notes = {
    profile: ' (not with mode none)',
    database: ` (default: ${DEFAULTS.database})`,
    packageManager: ' (default: the one that runs this command)',
  }
  return addAnswers(command, notes)
    .option('--add <names>', 'add-ons, separated by commas, or none (default: pages)', collect)
    .option('--no-install', 'do not install dependencies')
    .option('--no-git', 'do not create a git repository with a first commit')
    .option(
      '-y, --yes',
      `do not ask; missing answers are ${DEFAULTS.mode}, ${DEFAULTS.profile} and ${DEFAULTS.database}`,
    )
    .option('--from <file>', 'read answers from a JSON file; flags override it')
    .option('--print-schema', 'print the JSON Schema of that file')
    .option('--dry-run', 'list the files, write nothing')
    .option('--json', 'print the result as one JSON object; do not ask')
    .option('--no-color', 'print without colors')
    .version(packageJson.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .addHelpText('after', ADD_ON_LIST)
    .addHelpText('after', EXAMPLES)
    .addHelpText('afterAll', EXIT_CODES)
    .exitOverride()
    .enablePositionalOptions()
}

function addRegenerate(program: Command): Command {
  const note = ' (default: unchanged)'
  const command = program
    .command('regenerate')
    .summary('switch the project in this directory, or bring it up to date')
    .description(
      'Switches the mode, profile or database of the project in this directory, or brings it up to date.',
    )
  addAnswers(command, { mode: note, profile: note, database: note, packageManager: note })
    .option('--add <names>', 'add these add-ons, separated by commas', collect)
    .option('--remove <names>', 'remove these add-ons, separated by commas', collect)
    .addOption(
      new Option('--existing-users <state>', 'what existing users become in mode complete')
        .choices(EXISTING_USERS)
        .default(EXISTING_USERS[0]),
    )
    .option('--dry-run', 'list the changes, write nothing')
    .option('--diff', 'show the changes, write nothing')
    .option('--check', 'write nothing; exit with 3 if there is something to update')
    .option('--continue', 'finish an interrupted update, or one whose conflicts are resolved')
    .option(
      '--abort',
      'undo such an update, or the last one if it is not committed; files that you changed since stay',
    )
    .option('--forget', 'end such an update without changing a file')
    .option('--allow-dirty', 'update even if changes are not committed')
    .option(
      '-y, --yes',
      'do not ask; keep what no flag changes. With --abort: also if files changed since. With --forget: also if the update was interrupted',
    )
    .option('--no-install', 'do not install dependencies')
    .addHelpText('after', ADD_ON_LIST)
    .addHelpText('after', REGENERATE_EXAMPLES)
  for (const option of command.options) option.conflicts(CONFLICTS[option.attributeName()] ?? [])
  return addPrinting(command, 'print the result as one JSON object; do not ask')
}

function addChange(program: Command, change: 'add' | 'remove'): Command {
  const what = `${change} add-ons ${change === 'add' ? 'to' : 'from'} the project in this directory`
  const command = program
    .command(change)
    .summary(what)
    .description(`${what.charAt(0).toUpperCase()}${what.slice(1)}, as regenerate --${change} does.`)
    .argument('[names...]', 'the add-ons, separated by spaces or commas; asked for in a terminal')
    .option('--dry-run', 'list the changes, write nothing')
    .option('--diff', 'show the changes, write nothing')
    .option('--allow-dirty', 'change even if changes are not committed')
    .option('-y, --yes', 'do not ask')
    .option('--no-install', 'do not install dependencies')
    .addHelpText('after', ADD_ON_LIST)
  return addPrinting(command, 'print the result as one JSON object; do not ask')
}

/** Collects the values of a flag that may repeat. */
const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value]

function addStatus(program: Command): Command {
  const command = program
    .command('status')
    .summary('show how this project was generated and which files changed')
    .description('Shows how the project in this directory was generated, and which of its files changed.')
  return addPrinting(command)
}

function addAudit(program: Command): Command {
  const command = program
    .command('audit')
    .summary('find known defects in the generated code of this project')
    .description(
      'Compares the files of the project in this directory with the advisories of this version. Exits with 3 if one applies.',
    )
    .option('--fix [ids...]', 'merge only the fixes into your files, of all advisories or of these')
    .option('--allow-dirty', 'fix even if changes are not committed')
  return addPrinting(command)
}

function addCopyData(program: Command): Command {
  const command = program
    .command('copy-data')
    .summary('copy all rows from one database to another')
    .description('Copies all rows from another database into the database of the project in this directory.')
    .requiredOption('--from <database>', 'copy from this database: file:<path> or postgres://…')
    .requiredOption('--to <database>', "copy to this database, which must be of the project's kind")
    .option('--skip <names...>', 'leave out these tables, or columns written as table.column')
    .addHelpText('after', COPY_EXAMPLES)
  return addPrinting(command)
}

const addPrinting = (command: Command, json = 'print the result as one JSON object'): Command =>
  command.option('--json', json).option('--no-color', 'print without colors')

/** Adds the flags of the answers. @param notes what follows the values of each, such as its default */
function addAnswers(command: Command, notes: AnswerFlags): Command {
  const { mode = '', profile = '', database = '', packageManager = '' } = notes
  return command
    .option('-m, --mode <mode>', `authentication mode: ${alternatives(MODES)}${mode}`)
    .option('-p, --profile <profile>', `profile of the specification: ${alternatives(PROFILES)}${profile}`)
    .option('-d, --database <database>', alternatives(DATABASES) + database)
    .option('--package-manager <name>', alternatives(PACKAGE_MANAGERS) + packageManager)
}
