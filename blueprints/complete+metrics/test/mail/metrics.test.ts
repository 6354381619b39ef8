import { expect, test } from 'vitest'
import { queueMails } from '../support/mailer.ts'
import { createMetricsApp } from '../support/metrics.ts'

test('the metrics contain the due mails', async () => {
  const { app, address } = await createMetricsApp()
  const url = await address()
  await queueMails(app, 3)
  expect(await (await fetch(url)).text()).toMatch(/^mails_due 3$/m)
})
