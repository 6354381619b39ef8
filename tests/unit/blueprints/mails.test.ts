import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

// Owners may change them, so the tests of a project do not ask for it.
describe.each(['complete-a-postgres-all', 'complete-b-sqlite-all'])('the mails of %s', (name) => {
  const read = (file: string) => readFileSync(join('examples', name, 'emails', file), 'utf8')
  const mails = readdirSync(join('examples', name, 'emails')).filter((file) => file.endsWith('.html'))

  test('have the name, contact and site of the service in their frame, and both color schemes', () => {
    for (const file of ['layout.mustache', 'layout.txt'])
      for (const variable of ['app_name', 'contact', 'site_url'])
        expect(read(file)).toContain(`{{${variable}}}`)
    expect(read('layout.mustache')).toContain('<meta name="color-scheme" content="light dark">')
    expect(read('layout.mustache')).toContain('@media (prefers-color-scheme: dark)')
  })

  test('that ask for something name the service', () => {
    const asking = mails.filter((file) => /verification|reset|undo|welcome/.test(file))
    expect(asking.length).toBeGreaterThanOrEqual(3)
    for (const file of asking) expect(read(file), file).toContain('{{app_name}}')
  })

  test('that are notices name a contact', () => {
    const notices = mails.filter((file) => /changed|claimed|deleted|new_login|undo/.test(file))
    expect(notices.length).toBe(6)
    for (const file of notices) expect(read(file), file).toContain('{{contact}}')
  })
})

// Two texts of one mail would drift apart.
test.each(['complete-a-postgres-all', 'complete-b-sqlite-all'])(
  'the mails of %s say the same twice',
  (name) => {
    const folder = join('examples', name, 'emails')
    for (const file of readdirSync(folder).filter((each) => each.endsWith('.html'))) {
      const [text = '', html = ''] = readFileSync(join(folder, file), 'utf8').split('\n-->\n')
      const shown = html
        .replace(/<a [^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_, url: string, label: string) => {
          if (url === label) return url
          // A button, with its link in plain text next to it.
          return html.includes(`>${url}</a>`) ? '' : `${label}: ${url}`
        })
        .replace(/<p hidden>.*<\/p>|<[^>]+>/g, ' ')
      const words = (part: string) => part.split(/\s+/).filter(Boolean).join(' ')
      expect(words(shown), file).toBe(words(text.replace('<!--', '')))
    }
  },
)

test('the welcome mail leads on', () => {
  const welcome = readFileSync('examples/complete-b-sqlite/emails/welcome.html', 'utf8')
  expect(welcome).toContain('href="{{site_url}}"')
})
