import { z } from 'zod'
import { wholeNumber } from './types.ts'

/** Who may read the metrics, and where. */
export const metrics = z
  .object({
    METRICS_PORT: wholeNumber({ min: 0, max: 65_535 })
      .optional()
      .describe('Port that serves /metrics for Prometheus; do not forward it; empty: no metrics'),
    METRICS_TOKEN: z
      .string()
      .min(16, 'must be at least 16 characters long, e.g. the output of: openssl rand -hex 16')
      .optional()
      .describe('Token for /metrics; without METRICS_PORT, /metrics is at PORT; empty: no token'),
  })
  .transform((env) => ({ port: env.METRICS_PORT, token: env.METRICS_TOKEN }))
