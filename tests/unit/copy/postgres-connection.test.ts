import { expect, it } from 'vitest'
import { openPostgres, type PostgresDriver } from '../../../src/copy/postgres-connection.ts'

// An open connection kept the process from ending after an error.
it('a connection that cannot be used is closed', async () => {
  const calls: string[] = []
  class Client {
    processID = 7
    on() {}
    async query() {
      return { rows: [['7']] }
    }
    async connect() {
      calls.push('connect')
    }
    async end() {
      calls.push('end')
    }
  }
  const driver = { Client } as unknown as PostgresDriver
  const opened = openPostgres(driver, 'postgres://localhost/app', async () => {
    throw new Error('refused')
  })
  await expect(opened).rejects.toThrow('refused')
  expect(calls).toEqual(['connect', 'end'])
})
