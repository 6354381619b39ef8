import { type Config, loadConfig } from '../../src/config.ts'

/** Settings of the tests. All others have their defaults. */
export const testSettings: Record<string, string> = {}

/** The configuration of a test's app. */
export const testConfig = (env: Record<string, string>): Config => loadConfig({ ...testSettings, ...env })
