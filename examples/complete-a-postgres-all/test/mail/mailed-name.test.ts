import { expect, test } from 'vitest'
import { withoutLinks } from '../../src/mail/mailed-name.ts'

// A stranger could otherwise send a link of choice in a mail of this service.
test.each([
  ['Pay at evil.com', 'Pay at evil[.]com'],
  ['Pay at http://3627734734/login', 'Pay at http[:]//3627734734/login'],
  ['https://evil。com', 'https[:]//evil[.]com'],
])('%s is no link in a mail', (text, mailed) => {
  expect(withoutLinks(text)).toBe(mailed)
})
