import { describe, expect, test } from 'vitest'
import { brandVariables } from '../../src/settings/theme.ts'
import { testConfig } from '../support/settings.ts'

describe('values of src/settings/theme.ts that are not usable stop the start', () => {
  const brandWith = (own: Partial<Parameters<typeof brandVariables>[1]>) =>
    brandVariables(testConfig({}), { ...brandOf, ...own })
  const brandOf = {
    name: 'Shop',
    logo: '',
    accent: '#000000',
    contact: 'help@example.com',
    site: '/',
    language: 'en',
  }

  test.each([
    ['accent', 'red; } body { display: none'],
    ['accent', 'url(https://evil.example)'],
    ['logo', '../.env'],
    ['logo', 'https://evil.example/logo.png'],
    ['logo', 'logo.html'],
    ['language', '../../etc'],
    ['site', 'javascript:alert(1)'],
    ['site', ''],
  ])('%s %j', (key, value) => {
    expect(() => brandWith({ [key]: value })).toThrow(`src/settings/theme.ts: ${key} must be`)
  })

  test.each([
    ['help@example.com', 'mailto:help@example.com'],
    ['https://example.com/help', 'https://example.com/help'],
    ['the operator of the service', ''],
    ['javascript:alert(1)', ''],
    ['help@example.com?bcc=mallory@example.com', ''],
  ])('the contact %j links to %j', (contact, url) => {
    expect(brandWith({ contact }).contact_url).toBe(url)
  })

  test.each([
    ['/account', 'http://localhost:3000/account'],
    ['https://example.com/shop', 'https://example.com/shop'],
  ])('the site %j is %s', (site, url) => {
    expect(brandWith({ site }).site_url).toBe(url)
  })
})
