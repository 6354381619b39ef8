import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { shareTestApp } from '../app.ts'

const folder = new URL('../../pages/', import.meta.url)
const files = existsSync(folder) ? readdirSync(folder) : []
const pages = files.filter((file) => file.endsWith('.html'))
const urls = files.map((file) => (file.endsWith('.html') ? `/${file.slice(0, -5)}` : `/pages/${file}`))

// A page that handles tokens and passwords: whatever gets into it must not run, send them away or be framed.
describe.skipIf(files.length === 0)('the pages', async () => {
  const app = await shareTestApp()

  test.each(urls)(
    '%s may load only what is ours, send nothing elsewhere and be framed by nobody',
    async (url) => {
      const { headers } = await app.inject({ url })
      expect(String(headers['content-security-policy']).split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
      ])
    },
  )

  test.each(urls)(
    '%s is kept by no cache, read as no other type, and tells no other site its address',
    async (url) => {
      const { headers } = await app.inject({ url })
      expect(headers).toMatchObject({
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
    },
  )

  test.each(pages)('%s has no script, style or handler of its own, and nothing of a third party', (page) => {
    const html = readFileSync(new URL(page, folder), 'utf8')
    expect(html).not.toMatch(/<script(?![^>]* src="pages\/)/)
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/)
    expect(html).not.toMatch(/(?:src|href|action)="(?!pages\/)/)
    expect(html).not.toMatch(/\{\{\{|\{\{&/)
  })

  test.each(files.filter((file) => file.endsWith('.js')))(
    '%s makes no markup or code out of text',
    (file) => {
      const code = readFileSync(new URL(file, folder), 'utf8')
      expect(code).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|https?:/,
      )
      expect(code).not.toMatch(/localStorage|sessionStorage|document\.cookie/)
    },
  )

  test.each([
    '/pages/../package.json',
    '/pages/..%2fpackage.json',
    '/pages/%2e%2e/.env',
    '/pages/..%5c.env',
    '/pages//etc/passwd',
    '/pages/style.css/../../.env',
    '/pages/style.css%00',
    '/pages/',
    '/pages',
    '/../.env',
    '/verify-email.html',
    '/pages/verify-email.html',
  ])('%s leads to no file', async (url) => {
    const { statusCode, headers } = await app.inject({ url })
    expect([400, 404]).toContain(statusCode)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
  })

  test.each(['POST', 'PUT', 'DELETE'] as const)('%s is no way to send a form to a page', async (method) => {
    const { statusCode } = await app.inject({
      method,
      url: '/reset-password',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'token=x&new_password=y',
    })
    expect([404, 415]).toContain(statusCode)
  })
})
