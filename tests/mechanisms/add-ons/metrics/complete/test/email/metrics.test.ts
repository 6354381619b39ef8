import { expect, test } from 'vitest'
import { queueEmails } from '../support/mailer.ts'
import { createMetricsApp } from '../support/metrics.ts'

test('the metrics contain the due emails', async () => {
  const { app, address } = await createMetricsApp()
  const url = await address()
  await queueEmails(app, 3)
  expect(await (await fetch(url)).text()).toMatch(/^mails_due 3$/m)
})
