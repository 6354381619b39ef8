import { ADD_ON_NAMES } from '../answers/add-ons.ts'
import { addOnLines } from './add-on-flags.ts'

export const ADD_ON_LIST = `
Add-ons:
${addOnLines(ADD_ON_NAMES).join('\n')}`

export const EXAMPLES = `
Examples:
  npm create authsmith@latest my-api
  npm create authsmith@latest my-api -- --mode basic --profile B --yes
  npm create authsmith@latest my-api -- --add pages,metrics --yes
  npm create authsmith@latest . -- --mode none --yes --no-git
  npm create authsmith@latest my-api -- --from answers.json --json

Inside a project (see create-authsmith regenerate --help):
  npx create-authsmith@latest regenerate --mode complete
  npx create-authsmith@latest add metrics
  npx create-authsmith@latest remove pages
  npx create-authsmith@latest status
  npx create-authsmith@latest audit --fix
  npx create-authsmith@latest copy-data --from <database> --to <database>`

export const REGENERATE_EXAMPLES = `
Examples:
  npx create-authsmith@latest regenerate --mode complete
  npx create-authsmith@latest regenerate --profile B --diff
  npx create-authsmith@latest regenerate --continue`

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
  npx create-authsmith@latest copy-data --from file:data/app.db --to postgres://user@host:5432/name
  npx create-authsmith@latest copy-data --from postgres://user@host:5432/name --to file:data/app.db

To move to another kind of database, first switch the code:
  npx create-authsmith@latest regenerate --database postgres

The target is created or migrated when needed, and must be empty. All rows are copied in one
transaction, read back and compared. The source is only read.
Leave passwords out of the addresses: set PGPASSWORD, or use ~/.pgpass.
Unless the exit code is 0, nothing was copied. 3 also means: the target is not empty, the source is
older than the project or in use, or some rows have no place.`
