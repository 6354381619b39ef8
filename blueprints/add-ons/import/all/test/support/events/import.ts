import { runCommand } from '../commands.ts'
import type { Actions } from '../events.ts'
import { importedLine, importFile } from '../import.ts'

const actions: Actions = {
  'users.imported': async (app) => runCommand(app, 'import', await importFile([importedLine('alice')])),
}

export default actions
