import { type Config, ConfigError, loadConfig } from './config.ts'

/**
 * Reads the configuration from the environment, and variables that are not set there from the file `.env`. If settings
 * are invalid, prints one line for each and exits with code 1. Only server.ts and the commands call this.
 */
export function readConfig(): Config {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  try {
    return loadConfig(process.env)
  } catch (error) {
    refuseToStart(error)
  }
}

/** Exits with code 1 and the lines of a ConfigError. @throws any other error */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message.replaceAll(/^/gm, 'Configuration: '))
  process.exit(1)
}
