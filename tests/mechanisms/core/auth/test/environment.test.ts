import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root, startProcess } from './support/process.ts'
import { testSettings } from './support/settings.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const unset = Object.fromEntries(Object.keys(testSettings).map((name) => [name, '']))

test('if a setting is missing and there is no .env, the message says how to create it', async () => {
  const folder = await temporaryFolder()
  const outputOf = async () => (await startProcess(unset, folder).closed).output
  const missing = /^Configuration: (JWT_)?SECRET_KEY is missing: [^\n]*\n$/
  // As in an image.
  expect(await outputOf()).toMatch(missing)
  await copyFile(join(root, '.env.example'), join(folder, '.env.example'))
  expect(await outputOf()).toMatch(
    /^Configuration: (JWT_)?SECRET_KEY is missing: .*\nConfiguration: there is no \.env\. Create it: .*\n$/,
  )
  await writeFile(join(folder, '.env'), '')
  expect(await outputOf()).toMatch(missing)
})
