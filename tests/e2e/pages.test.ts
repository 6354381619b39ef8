import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Browser, findChromium, startBrowser } from './harness/browser.ts'
import { succeed } from './harness/command.ts'
import { newFolder } from './harness/folder.ts'
import { createProject, type Report } from './harness/project.ts'
import { pagesSuite } from './suites/pages.ts'

const chromium = findChromium()

if (!chromium) {
  test('the pages of mode complete need a browser', (context) => context.skip('chromium is missing'))
}

describe.runIf(chromium)('the pages of mode complete, in a browser', () => {
  let browser: Browser
  let installed: Report
  const create = (profile: string, ...flags: string[]) =>
    createProject(newFolder(), [
      'my-api',
      '--mode',
      'complete',
      '--profile',
      profile,
      '--yes',
      '--no-git',
      ...flags,
    ])
  const build = ({ directory }: Report) => succeed('npm', ['run', 'build'], { cwd: directory })

  beforeAll(async () => {
    browser = await startBrowser(String(chromium), join(newFolder(), 'browser'))
    installed = await create('A')
    await build(installed)
  })
  afterAll(() => browser?.close())

  describe('profile A', () => {
    pagesSuite(
      'A',
      () => installed,
      () => browser,
    )
  })

  describe('profile B', () => {
    let project: Report
    beforeAll(async () => {
      // Both profiles have the same dependencies: one install is enough here.
      project = await create('B', '--no-install')
      symlinkSync(join(installed.directory, 'node_modules'), join(project.directory, 'node_modules'))
      await build(project)
    })
    pagesSuite(
      'B',
      () => project,
      () => browser,
    )
  })
})
