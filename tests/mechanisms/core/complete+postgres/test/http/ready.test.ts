import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { connect, openDatabase } from '../../src/db/database.ts'
import { password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'
import { testServer, withParameter } from '../support/server.ts'

// A load balancer would send logins to an instance that answers each with 500.
test.skipIf(testServer === undefined)('an account that cannot log users in is not ready', async () => {
  const { config } = await createTestApp()
  const owner = await connect(config.database)
  const role = `test_${randomUUID().replaceAll('-', '')}`
  await owner.query(`CREATE ROLE ${role}`)
  onTestFinished(async () => {
    await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    await owner.end()
  })
  const schema = (await owner.query('SELECT current_schema() AS name')).rows[0].name
  await owner.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
  const grant = (rights: string) => owner.query(`GRANT ${rights} IN SCHEMA ${schema} TO ${role}`)
  await grant('SELECT ON ALL TABLES')
  await grant('USAGE ON ALL SEQUENCES')

  const db = openDatabase({ ...config.database, url: withParameter(config.database.url, 'role', role) })
  onTestFinished(() => db.close())
  const app = await createTestApp({}, false, { db })
  const expectRefusal = async () => expectProblem(await app.inject('/health/ready'), 'unavailable')
  for (const right of ['INSERT', 'UPDATE', 'DELETE']) {
    await expectRefusal()
    await grant(`${right} ON ALL TABLES`)
  }
  await register(app)
  await owner.query(`REVOKE USAGE ON ALL SEQUENCES IN SCHEMA ${schema} FROM ${role}`)
  await expectRefusal()
  await grant('USAGE ON ALL SEQUENCES')
  expect((await app.inject('/health/ready')).statusCode).toBe(200)
  expect((await tryLogIn(app, 'alice', password)).statusCode).toBe(200)
})
