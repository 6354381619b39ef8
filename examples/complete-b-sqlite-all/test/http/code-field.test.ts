import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const file = new URL('../../pages/code-field.js', import.meta.url)

test.skipIf(!existsSync(file)).each([
  ['', ''],
  ['abcd', 'ABCD'],
  ['abcde', 'ABCD-E'],
  ['ABCDEFGHJKMNPQRS', 'ABCD-EFGH-JKMN-PQRS'],
  [' abcd efgh jkmn pqrs ', 'ABCD-EFGH-JKMN-PQRS'],
  ['abcd\u2013efgh\u2013jkmn\u2013pqrs', 'ABCD-EFGH-JKMN-PQRS'],
  ['Your code: abcd-efgh-jkmn-pqrs.', 'ABCD-EFGH-JKMN-PQRS'],
  // A token of another form: case matters.
  ['q0dRrTxz_-3kZpYv7mB2nC4xL6jH8gF1dS5aW9eU-oI', 'q0dRrTxz_-3kZpYv7mB2nC4xL6jH8gF1dS5aW9eU-oI'],
])('the page shows %j as %j', async (typed, shown) => {
  const { inGroups } = await import(file.href)
  expect(inGroups(typed)).toBe(shown)
})

describe.skipIf(!existsSync(file))('the field for the code', () => {
  /** Fills in the field as a browser does, with the cursor behind the text. */
  async function fillIn(text: string, event: string, cursor = text.length) {
    const { groupCode } = await import(file.href)
    const input = Object.assign(new EventTarget(), { value: '', selectionStart: 0 })
    groupCode(input)
    Object.assign(input, { value: text, selectionStart: cursor })
    input.dispatchEvent(new Event(event))
    return input.value
  }

  test.each([
    'abcd efgh jkmn pqrs',
    'abcd-efgh-jkmn-pqrs',
    'abcd\u2013efgh\u2013jkmn\u2013pqrs\n',
    'abcdefghjkmnpqrs',
  ])('groups a code that is pasted or filled in: %j', async (pasted) => {
    expect(await fillIn(pasted, 'input')).toBe('ABCD-EFGH-JKMN-PQRS')
  })

  test('does not move the cursor of a user who corrects the code, until they leave the field', async () => {
    expect(await fillIn('abcd efgh', 'input', 4)).toBe('abcd efgh')
    expect(await fillIn('abcd efgh', 'change', 4)).toBe('ABCD-EFGH')
  })

  test.each(['verify-email', 'reset-password', 'undo-email-change'])(
    'of %s can be filled in by the browser as a one-time code',
    (page) => {
      const html = new URL(`../../pages/${page}.html`, import.meta.url)
      const source = existsSync(html) ? readFileSync(html, 'utf8') : ''
      const [field] = /<input\s[^>]*\bid="token"[^>]*>/.exec(source) ?? []
      // You may have deleted the page, or changed its field.
      if (field) expect(field).toContain('autocomplete="one-time-code"')
    },
  )
})
