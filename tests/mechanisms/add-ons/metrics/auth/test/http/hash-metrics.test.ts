import { expect, test } from 'vitest'
import { createMetricsApp } from '../support/metrics.ts'

test('the metrics contain the hash queue', async () => {
  const { address } = await createMetricsApp()
  const metrics = await (await fetch(await address())).text()
  expect(metrics).toMatch(/^password_hashes_running 0$/m)
  expect(metrics).toMatch(/^password_hashes_waiting 0$/m)
})
