import { expect, test } from 'vitest'
import { withoutLinks } from '../../src/email/outbox.ts'

// A stranger could otherwise send a link of choice in an email of this service.
test.each([
  ['Pay at evil.com', 'Pay at evil[.]com'],
  ['Pay at http://3627734734/login', 'Pay at http[:]//3627734734/login'],
  ['https://evil。com', 'https[:]//evil[.]com'],
])('%s is no link in an email', (text, emailed) => {
  expect(withoutLinks(text)).toBe(emailed)
})
