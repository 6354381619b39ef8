import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { succeed } from '../support/command.ts'
import { cli, createProject, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { type Browser, findChromium, startBrowser } from './harness/browser.ts'
import { apiPageSuite } from './suites/api-page.ts'
import { clientsSuite } from './suites/clients.ts'
import { formerMailSuite } from './suites/former-mails.ts'
import { pagesSuite } from './suites/pages.ts'

const chromium = findChromium()

if (!chromium) {
  test('tests of the pages of mode complete need a browser', (context) => context.skip('chromium is missing'))
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
  /** One install is enough, because both profiles have the same dependencies. */
  const link = ({ directory }: Report) =>
    symlinkSync(join(installed.directory, 'node_modules'), join(directory, 'node_modules'))
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

  describe('a client that is generated from the OpenAPI document', () => clientsSuite(() => installed))

  describe('profile B', () => {
    let project: Report
    beforeAll(async () => {
      project = await create('B', '--no-install')
      link(project)
      await build(project)
    })
    pagesSuite(
      'B',
      () => project,
      () => browser,
    )
    apiPageSuite(
      () => project,
      () => browser,
    )
  })

  describe.each([
    ['A', 'B'],
    ['B', 'A'],
  ] as const)('profile %s, switched from profile %s', (profile, former) => {
    let project: Report
    beforeAll(async () => {
      project = await create(former, '--no-install')
      link(project)
      const flags = ['regenerate', '--profile', profile, '--no-install', '--yes']
      const { code, stdout, stderr } = await cli(flags, { cwd: project.directory })
      expect(code, stdout + stderr).toBe(0)
      await build(project)
    })
    formerMailSuite(
      profile,
      () => project,
      () => browser,
    )
  })
})
