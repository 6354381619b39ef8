import { ADD_ON_NAMES } from '../answers/add-ons.ts'
import { COMMAND } from '../system/command.ts'
import { addOnLines } from './add-on-flags.ts'

export const ADD_ON_LIST = `
Add-ons:
${addOnLines(ADD_ON_NAMES).join('\n')}`

export const EXAMPLES = `
Examples:
  ${COMMAND} my-api
  ${COMMAND} my-api --mode basic --profile B --yes
  ${COMMAND} my-api --add pages,metrics --yes
  ${COMMAND} . --mode none --yes --no-git
  ${COMMAND} my-api --from answers.json --json

Inside a project (see ${COMMAND} regenerate --help):
  ${COMMAND} regenerate --mode complete
  ${COMMAND} add metrics
  ${COMMAND} remove pages
  ${COMMAND} status
  ${COMMAND} audit --fix
  ${COMMAND} copy-data --from <database> --to <database>`

export const REGENERATE_EXAMPLES = `
Examples:
  ${COMMAND} regenerate --mode complete
  ${COMMAND} regenerate --profile B --diff
  ${COMMAND} regenerate --continue`

export const EXIT_CODES = `
Exit codes:
  0    success
  1    a step after writing failed, or an unexpected error; the message says
       what was written and how to repeat the step
  2    invalid usage or answers
  3    refused: the target is not empty, changes are not committed, the project
       is damaged, or an update is in progress; with --check: something to update;
       of audit: an advisory applies
  4    conflicts to resolve
  5    of audit: no advisory applies, but a file could not be checked
  130  interrupted`

export const COPY_EXAMPLES = `
Examples:
  ${COMMAND} copy-data --from file:data/app.db --to postgres://user@host:5432/name
  ${COMMAND} copy-data --from postgres://user@host:5432/name --to file:data/app.db

To move to another kind of database, first switch the code:
  ${COMMAND} regenerate --database postgres

The target is created or migrated when needed, and must be empty. All rows are copied in one
transaction, read back and compared. The source is only read.
Leave passwords out of the addresses: set PGPASSWORD, or use ~/.pgpass.
Unless the exit code is 0, nothing was copied. 3 also means: the target is not empty, the source is
older than the project or in use, or some rows have no place.`
