import type { Config } from '../config.ts'
import { timeIn } from '../db/queries.ts'
import { deriveKeys } from '../keys.ts'
import { createMailLimit } from './limit.ts'
import { createOutbox, type OutboxTime } from './outbox.ts'
import { loadMailTemplates } from './templates.ts'

interface OutboxContext {
  /** Variables of all templates, from src/brand.ts. */
  brand: Parameters<typeof loadMailTemplates>[0] & { app_name: string }
  config: Config
  log: Parameters<typeof createMailLimit>[2]
  now: () => number
  /** When mails are due. Default: by the clock of the database. */
  time?: OutboxTime | undefined
}

/** The outbox as the settings say, for the service and for commands that mail users, with what delivers its mails. */
export async function openOutbox({ brand, config, log, now, time = timeIn }: OutboxContext) {
  const from = { ...config.email.from, name: brand.app_name }
  const keys = deriveKeys(config.accessTokens).outbox
  const templates = await loadMailTemplates(brand)
  const limit = createMailLimit(config.rateLimits, now, log)
  return { from, templates, time, outbox: createOutbox({ from, keys, limit, now, templates, time }) }
}
