import { expect, test } from 'vitest'
import mailbox from '../../dev/mailbox/routes.ts'
import { shareTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

const proxy = '192.0.2.1'
const app = await shareTestApp(
  { FRONTEND_URL: 'https://app.example.com', TRUST_PROXY: `${proxy},127.0.0.1` },
  false,
  { plugins: [mailbox] },
)

const open = (remoteAddress: string, headers: Record<string, string>) =>
  app.inject({ url: '/dev/mailbox/messages', remoteAddress, headers })

test.each([
  ['127.0.0.1', 'localhost:3000'],
  ['127.0.0.1', '127.0.0.1:3000'],
  ['127.8.8.8', 'LOCALHOST'],
  ['::1', '[::1]:3000'],
  ['::ffff:127.0.0.1', 'my-api.localhost:3000'],
])('the mailbox answers to %s that asks for %s', async (address, host) => {
  expect((await open(address, { host })).statusCode).toBe(200)
})

// The emails contain a token for every account.
test.each(['192.0.2.66', '10.0.0.1', '172.17.0.1', '2001:db8::1', '::ffff:192.0.2.66', 'fe80::1'])(
  'it does not exist for %s',
  async (address) => {
    expectProblem(await open(address, { host: 'localhost:3000' }), 'not_found')
  },
)

// Another site could point its name at 127.0.0.1, and its page would read the emails (DNS rebinding).
test.each([
  'mallory.example',
  'mallory.example:3000',
  'app.example.com',
  'localhost.mallory.example',
  'notlocalhost',
  '127.0.0.1.mallory.example',
  '192.0.2.1:3000',
  '0.0.0.0:3000',
  '[::]:3000',
  'devbox',
])('it does not exist under the name %j', async (host) => {
  expectProblem(await open('127.0.0.1', { host }), 'not_found')
})

test('headers of a proxy, trusted or not, open it to no one', async () => {
  const forwarded = {
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'localhost',
    forwarded: 'for=127.0.0.1',
  }
  for (const address of [proxy, '192.0.2.66'])
    expectProblem(await open(address, { host: 'localhost', ...forwarded }), 'not_found')
  expectProblem(await open('127.0.0.1', { host: 'mallory.example', ...forwarded }), 'not_found')
})

// With a rewritten Host, such a request has both ends on this machine.
test.each([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'cf-connecting-ip',
])('it does not exist behind a proxy or tunnel with %s', async (name) => {
  for (const value of ['203.0.113.9', '127.0.0.1', ''])
    expectProblem(await open('127.0.0.1', { host: 'localhost:3000', [name]: value }), 'not_found')
})

test('every file and page of it is closed', async () => {
  for (const path of ['', '/mailbox.css', '/mailbox.js', '/messages', '/messages/1/html'])
    expectProblem(await app.inject({ url: `/dev/mailbox${path}`, remoteAddress: proxy }), 'not_found')
})
