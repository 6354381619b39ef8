import { expect, test } from 'vitest'
import { replaceEach } from '../../support/replace.js'

test('texts are replaced at once: a port that is put in may contain another that is replaced', () => {
  const values = [
    ['4001', '40025'],
    ['4002', '40011'],
    ['127.0.0.1:3000', 'localhost'],
  ] as const
  expect(replaceEach('4001 4002 127.0.0.1:3000 127-0-0-1:3000', values)).toBe(
    '40025 40011 localhost 127-0-0-1:3000',
  )
  expect(replaceEach('4001', [])).toBe('4001')
})
