import { type Config, loadConfig } from '../src/config.ts'

/** What the tests run with; everything else has its default. */
export const testSettings: Record<string, string> = {}

/** The configuration of a test's app. */
export const testConfig = (env: Record<string, string>): Config => loadConfig({ ...testSettings, ...env })
