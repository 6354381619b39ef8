import { createTestApp } from './app.ts'

/** An app that serves metrics, not yet ready. */
export async function createMetricsApp(settings: Record<string, string> = {}) {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const app = await createTestApp({ METRICS_PORT: '0', ...settings }, { level: 'info', stream })
  return {
    app,
    /** The address of the metrics, once the app is ready. */
    async address() {
      await app.ready()
      const { metrics } = lines.map((line) => JSON.parse(line)).find((entry) => entry.metrics)
      return `http://127.0.0.1:${metrics.port}/metrics`
    },
  }
}
