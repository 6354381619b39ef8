import { type Config, ConfigError, loadConfig } from './config.ts'

/**
 * The configuration of this process: the environment, and what it leaves open from the file `.env`. With bad settings
 * the process ends here, with one line for each and exit code 1. Only server.ts and the commands call this.
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
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message.replaceAll(/^/gm, 'Configuration: '))
    process.exit(1)
  }
}
