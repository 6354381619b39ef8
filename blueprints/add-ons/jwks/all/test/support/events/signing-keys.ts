import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createKeySigners } from '../../../src/sessions/key-signers.ts'
import type { Actions } from '../events.ts'
import { addKey, keySettings } from '../keys.ts'
import { testConfig } from '../settings.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const actions: Actions = {
  async 'keys.unreadable'(app) {
    const folder = await temporaryFolder()
    addKey(folder, 1)
    const config = testConfig(keySettings(folder))
    const { published } = createKeySigners({ config, log: app.log, now: app.now })
    await writeFile(join(folder, 'broken.pem'), '', { mode: 0o600 })
    app.clock.advance(60)
    published()
  },
}

export default actions
