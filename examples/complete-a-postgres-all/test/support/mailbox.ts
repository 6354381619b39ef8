import { asc, eq } from 'drizzle-orm'
import { outbox } from '../../src/db/schema/outbox.ts'
import { deriveKeys } from '../../src/keys.ts'
import { unseal } from '../../src/mail/seal.ts'
import type { TestApp } from './app.ts'

/** A mail in the outbox. */
export interface Mail {
  template: string
  subject: string
  variables: Record<string, string>
}

/** The mails to an address, oldest first. */
export async function mailsTo(app: TestApp, address = 'alice@example.com'): Promise<Mail[]> {
  const keys = deriveKeys(app.config.accessTokens).outbox
  const mails = await app.db.read
    .select()
    .from(outbox)
    .where(eq(outbox.recipient, address))
    .orderBy(asc(outbox.id))
  return mails.map(({ template, subject, sealedVariables }) => ({
    template,
    subject,
    variables: JSON.parse(unseal(sealedVariables ?? '', keys)),
  }))
}

/** What a mailed token is for. */
type TokenKind = 'verification' | 'confirm' | 'reset' | 'undo' | 'restored'

/** The tokens in the mails to an address, oldest first: the code, or the token in the fragment of the link. */
export async function mailedTokens(app: TestApp, kind: TokenKind, address?: string) {
  const mails = await mailsTo(app, address)
  return mails
    .filter(({ template }) => template.includes(kind))
    .map(({ variables }) => variables.code ?? linkIn(variables).hash.replace('#token=', ''))
}

/** The newest token of a kind. */
export async function mailedToken(app: TestApp, kind: TokenKind, address?: string) {
  const token = (await mailedTokens(app, kind, address)).at(-1)
  if (token === undefined) throw new Error(`No mail of the kind ${kind}`)
  return token
}

const linkIn = (variables: Record<string, string>) =>
  new URL(variables.verification_url ?? variables.reset_url ?? variables.undo_url ?? '')
