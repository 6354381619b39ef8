import { asc, eq } from 'drizzle-orm'
import { outbox } from '../../src/db/schema/outbox.ts'
import { deriveKeys, unseal } from '../../src/keys.ts'
import type { TestApp } from './app.ts'

/** An email in the outbox. */
export interface Email {
  template: string
  subject: string
  variables: Record<string, string>
}

/** The emails to an address, oldest first. */
export async function emailsTo(app: TestApp, address = 'alice@example.com'): Promise<Email[]> {
  const keys = deriveKeys(app.config.accessTokens).outbox
  const emails = await app.db.read
    .select()
    .from(outbox)
    .where(eq(outbox.recipient, address))
    .orderBy(asc(outbox.id))
  return emails.map(({ template, subject, sealedVariables }) => ({
    template,
    subject,
    variables: JSON.parse(unseal(sealedVariables ?? '', keys)),
  }))
}

/**
 * The tokens in the emails to an address, oldest first: the code, or the token in the fragment of the link.
 * @param kind a part of the template's name
 */
export async function emailedTokens(app: TestApp, kind: string, address?: string) {
  const emails = await emailsTo(app, address)
  return emails
    .filter(({ template }) => template.includes(kind))
    .map(({ variables }) => variables.code ?? linkIn(variables).hash.replace('#token=', ''))
}

/** The newest token of a kind. */
export async function emailedToken(app: TestApp, kind: string, address?: string) {
  const token = (await emailedTokens(app, kind, address)).at(-1)
  if (token === undefined) throw new Error(`No email of the kind ${kind}`)
  return token
}

const linkIn = (variables: Record<string, string>) =>
  new URL(Object.entries(variables).find(([name]) => name.endsWith('_url'))?.[1] ?? '')
