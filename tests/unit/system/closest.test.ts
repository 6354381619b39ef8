import { expect, it } from 'vitest'
import { closest } from '../../../src/system/closest.ts'

it.each([
  ['pags', 'pages'],
  ['pagse', 'pages'],
  ['ppages', 'pages'],
  ['oicd', 'oidc'],
  ['Pagez', 'pages'],
  ['pa', undefined],
  ['saml', undefined],
])('%s means %s', (typed, word) => {
  expect(closest(typed, ['oidc', 'pages'])).toBe(word)
})
