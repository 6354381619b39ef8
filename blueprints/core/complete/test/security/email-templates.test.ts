import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { addressesIn } from '../support/addresses.ts'
import { emailTemplates, valuesOf } from '../support/email-templates.ts'

const folder = new URL('../../emails/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const templates = await emailTemplates()

const evil = `"><img src=x onerror=alert('1')>&`
const escaped = '&quot;&gt;&lt;img src&#x3D;x onerror&#x3D;alert(&#39;1&#39;)&gt;&amp;'

// Usernames, addresses and the like are written by strangers: in an email they must stay text.
describe.each(templates.names)('%s', async (name) => {
  const values = await valuesOf(name, (variable) => `${evil}${variable}`)

  test('escapes its variables in HTML, but not in the text part', () => {
    const { html, text } = templates.render(name, values)
    expect(html.replaceAll(escaped, '')).not.toContain('onerror')
    expect(text.replaceAll(evil, '')).not.toContain('onerror')
  })

  test('escapes the name, the contact and the links of the service', async () => {
    const own = { app_name: evil, contact: evil, contact_url: evil, logo_url: evil, site_url: evil }
    const { html } = (await emailTemplates(own)).render(name, await valuesOf(name, String))
    expect(html.replaceAll(escaped, '')).not.toContain('onerror')
  })
})

// Escaping does not help there: a value of `javascript:…` is a link, and one with a space a second attribute.
test.each(files.filter((file) => /\.(html|mustache)$/.test(file)))(
  '%s has variables in quoted attributes only, links that run no code, and neither scripts nor forms',
  (file) => {
    const html = readFileSync(new URL(file, folder), 'utf8')
    expect(html).not.toMatch(/<[^>]*\s[\w:-]+\s*=\s*\{\{/)
    const link = /^(?:https?:|mailto:|tel:|cid:|#|\{\{\w+_url\}\})/i
    expect(addressesIn(html, /^(?:href|src)$/i).filter((address) => !link.test(address))).toEqual([])
    expect(html).not.toMatch(/<(?:script|form)|<[^>]*[\s/"']on\w+\s*=/i)
  },
)
