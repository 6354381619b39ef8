import { expect, test, vi } from 'vitest'
import home from '../../dev/home/routes.ts'
import mailbox from '../../dev/mailbox/routes.ts'
import missingPages from '../../dev/missing-pages.ts'
import { logRequests } from '../../dev/requests.ts'
import { start } from '../../src/start.ts'
import { createTestApp } from '../support/app.ts'

vi.mock('../../dev/requests.ts', () => ({ logRequests: vi.fn() }))
vi.mock('../../src/config.ts', () => ({ readConfig: () => ({}) }))
vi.mock('../../src/start.ts', () => ({ start: vi.fn(() => createTestApp()) }))

test('the script dev starts the service with the home page and the mailbox, and logs its requests and emails', async () => {
  vi.stubEnv('NODE_ENV', '')
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  await import('../../dev/server.ts')
  expect(process.env.NODE_ENV).toBe('development')
  expect(vi.mocked(start).mock.calls).toEqual([[{}, [home, missingPages, mailbox]]])
  // The service is the first app.
  const service = await vi.mocked(start).mock.results[0]?.value
  await createTestApp()
  expect(vi.mocked(logRequests).mock.calls.map(([app]) => app === service)).toEqual([true])
  expect(log.mock.calls.join('\n')).toContain('Try: curl ')
  log.mockRestore()
  vi.unstubAllEnvs()
})
