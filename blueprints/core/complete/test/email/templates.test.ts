import { describe, expect, test } from 'vitest'
import { templateVariables } from '../support/email-settings.ts'
import { emailTemplates, valuesOf } from '../support/email-templates.ts'

const templates = await emailTemplates()

describe.each(Object.entries(templateVariables))('%s', (name, names) => {
  const values = Object.fromEntries(names.map((variable) => [variable, `value-of-${variable}`]))

  test('needs no variable that it does not get, and shows its code or link', () => {
    const { html, text } = templates.render(name, values)
    const tokens = names.filter((variable) => /^code$|_url$/.test(variable))
    for (const body of tokens.length > 0 ? [html, text] : [])
      expect(tokens.filter((variable) => body.includes(`value-of-${variable}`))).not.toEqual([])
  })
})

describe.each(templates.names)('%s', async (name) => {
  const { html, subject, text } = templates.render(name, await valuesOf(name, String))

  test('has a subject and a language, and all its variables are replaced', () => {
    expect(subject).toMatch(/^\S[^\n{}]*$/)
    expect(html).toMatch(/^\s*<!doctype html/i)
    expect(html).toMatch(/<html[^>]*\slang=["']?\w+/i)
    expect(html + text).not.toContain('{{')
  })

  // Gmail cuts off an email of more than 102 KB.
  test('is small', () => {
    expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  })
})
