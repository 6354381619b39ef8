import { existsSync } from 'node:fs'
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
    // An image has no .env.example: there, settings come from the environment.
    const isNew = existsSync('.env.example') && !existsSync('.env')
    const isMissing = error instanceof ConfigError && error.message.includes(' is missing')
    refuseToStart(isNew && isMissing ? new ConfigError(`${error.message}\n${createEnv}`) : error)
  }
}

const createEnv =
  'there is no .env. Create it: (umask 077 && sed "s|change-me.*|$(openssl rand -base64 32)|" .env.example > .env)'

/** Exits with code 1 and the lines of a ConfigError. @throws any other error */
export function refuseToStart(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error
  console.error(error.message.replaceAll(/^/gm, 'Configuration: '))
  process.exit(1)
}

/** A ConfigError if another process has the port, otherwise the error itself. */
export const listenError = (error: unknown, port: number): unknown =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
    ? new ConfigError(`PORT ${port} is in use: stop the other process, or set another port`)
    : error
