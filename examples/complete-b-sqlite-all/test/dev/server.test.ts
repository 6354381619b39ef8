import { expect, test, vi } from 'vitest'
import { logMails } from '../../dev/mails.ts'
import { logRequests } from '../../dev/requests.ts'
import { createTestApp } from '../support/app.ts'

vi.mock('../../dev/mails.ts', () => ({ logMails: vi.fn() }))
vi.mock('../../dev/requests.ts', () => ({ logRequests: vi.fn() }))
vi.mock('../../src/server.ts', () => ({}))

test('the script dev logs the requests and mails of the service, which is the first app', async () => {
  vi.stubEnv('NODE_ENV', '')
  await import('../../dev/server.ts')
  const service = await createTestApp()
  await createTestApp()
  for (const { mock } of [vi.mocked(logRequests), vi.mocked(logMails)])
    expect(mock.calls.map(([app]) => app === service)).toEqual([true])
  vi.unstubAllEnvs()
})
