import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { createLinked, type Report } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { type Browser, findChromium, startBrowser } from './harness/browser.ts'
import { accountPagesSuite } from './suites/account-pages.ts'
import { apiPageSuite } from './suites/api-page.ts'
import { brandSuite } from './suites/brand.ts'
import { clientsSuite } from './suites/clients.ts'
import { frontEndsSuite } from './suites/front-ends.ts'
import { pageCookiesSuite } from './suites/page-cookies.ts'
import { pagesSuite } from './suites/pages.ts'
import { isWhole } from './variants/every-run.ts'

const chromium = findChromium()
let installed: Report

const createWithPages = (mode: string, profile: string) => {
  const addOns = [
    'pages',
    'account-data',
    ...(mode === 'complete' ? ['email-login', 'oidc', 'passkeys', 'totp'] : []),
    // Without them, which profile A tests, the pages hold tokens.
    ...(mode === 'complete' && profile === 'B' ? ['cookies'] : []),
  ]
  const answers = ['--mode', mode, '--profile', profile, '--add', addOns.join()]
  return createLinked(newFolder(), ['my-api', ...answers, '--no-git'])
}

beforeAll(async () => {
  installed = await createWithPages('complete', 'A')
})

describe('a client that is generated from the OpenAPI document', () => clientsSuite(() => installed))

if (!chromium) {
  test('tests of the pages need a browser', (context) => context.skip('chromium is missing'))
}

describe.runIf(chromium)('the pages, in a browser', () => {
  let browser: Browser
  const create = (profile: string) => createWithPages('complete', profile)
  const build = ({ directory }: Report) => buildUnchecked(directory)

  beforeAll(async () => {
    browser = await startBrowser(String(chromium), join(newFolder(), 'browser'))
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

  // Profile B has all of these and the devices.
  describe.runIf(isWhole)('profile A, accounts', () => {
    accountPagesSuite(
      { mode: 'complete', profile: 'A' },
      () => installed,
      () => browser,
    )
  })

  describe('mode basic, accounts', () => {
    let project: Report
    beforeAll(async () => {
      project = await createWithPages('basic', 'B')
      await build(project)
    })
    accountPagesSuite(
      { mode: 'basic', profile: 'B' },
      () => project,
      () => browser,
    )
  })

  describe('profile B', () => {
    let project: Report
    beforeAll(async () => {
      project = await create('B')
      await build(project)
    })
    pagesSuite(
      'B',
      () => project,
      () => browser,
    )
    accountPagesSuite(
      { mode: 'complete', profile: 'B' },
      () => project,
      () => browser,
    )
    apiPageSuite(
      () => project,
      () => browser,
    )
    pageCookiesSuite(
      () => project,
      () => browser,
    )
    frontEndsSuite(
      () => project,
      () => browser,
    )
  })

  describe('profile B, with the brand of an owner', () => {
    let project: Report
    beforeAll(async () => {
      project = await create('B')
    })
    brandSuite(() => project)
  })
})
