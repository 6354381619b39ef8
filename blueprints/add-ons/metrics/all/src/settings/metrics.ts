import { z } from 'zod'
import { settings, wholeNumber } from './types.ts'

const longEnough = z
  .string()
  .min(16, 'must be at least 16 characters long, e.g. the output of: openssl rand -hex 16')

/** Who may read the metrics, and where. */
export const metrics = settings({
  /** Port that serves /metrics for Prometheus. Do not forward it to the internet. Empty: no metrics. */
  port: ['METRICS_PORT', wholeNumber({ min: 0, max: 65_535 }).optional()],
  /** Token that /metrics requires. Without METRICS_PORT, /metrics is at PORT. Empty: no token. */
  token: ['METRICS_TOKEN', longEnough.optional()],
})
