import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { and, eq, lt } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { passkeys } from '../db/schema/passkeys.ts'
import type { Credential, Signed } from '../sign-in/factors.ts'
import type { SignInToken } from '../sign-in/tokens.ts'
import type { User } from '../users/users.ts'
import { type ChallengePurpose, takeChallenge } from './challenges.ts'
import { relyingParty, webauthn } from './relying-party.ts'

/** What a browser sends, in the parts that count. An id has at most 1,023 bytes (WebAuthn Level 3, section 4). */
const base64url = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\w-]+$/)
const credentialOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object({
    id: base64url(1364),
    rawId: base64url(1364),
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: base64url(8192), ...shape }),
    clientExtensionResults: z.object({}).default({}),
  })

const assertion = credentialOf({
  authenticatorData: base64url(8192),
  signature: base64url(8192),
  userHandle: base64url(128).nullish(),
})

const attestation = credentialOf({
  attestationObject: base64url(65_536),
  transports: z
    .array(z.string().regex(/^[a-z-]{1,20}$/))
    .max(10)
    .catch([])
    .default([]),
})

const clientData = z.object({ challenge: base64url(128) })

/** The challenge that was signed. Whether it is one of ours, `takeChallenge` finds out. */
function challengeIn(clientDataJSON: string): string {
  return clientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())).challenge
}

/** What every verification requires: one of our origins, our domain, and that the device has verified its user. */
function expectations(ctx: Context, clientDataJSON: string) {
  const { id, origins } = relyingParty(ctx.config)
  return {
    expectedChallenge: challengeIn(clientDataJSON),
    expectedOrigin: origins,
    expectedRPID: id,
    requireUserVerification: true,
  }
}

/**
 * Verifies what a passkey has signed. Outside of a transaction, which nothing but queries may keep waiting.
 * @returns what `acceptSigned` needs; undefined if it is wrong in any respect
 */
export async function verifySigned(ctx: Context, credential: Credential): Promise<Signed | undefined> {
  const { data } = assertion.safeParse(credential)
  if (!data) return undefined
  const [passkey] = await ctx.db.read.select().from(passkeys).where(eq(passkeys.credentialId, data.id))
  if (!passkey || (data.response.userHandle ?? passkey.userHandle) !== passkey.userHandle) return undefined
  const { verifyAuthenticationResponse } = await webauthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      ...expectations(ctx, data.response.clientDataJSON),
      response: data as AuthenticationResponseJSON,
      // The counter is compared where it is written: the library would only throw.
      credential: { id: passkey.credentialId, publicKey: bytesOf(passkey.publicKey), counter: 0 },
    })
    // A result that nobody reads lets everyone in (GitLab issue 585333).
    if (!verified) return undefined
    const { newCounter: counter, credentialBackedUp: isBackedUp } = authenticationInfo
    const { id, userId } = passkey
    return { id, userId, challenge: challengeIn(data.response.clientDataJSON), counter, isBackedUp }
  } catch {
    return undefined
  }
}

export const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))

/**
 * Uses up what a passkey has signed, in the transaction of what it allows.
 * @param user with a locked row. A credential counts only for its owner, whoever sends it (Rodauth CVE-2026-82466)
 * @returns the challenge; undefined if it was used, is for another purpose, or if the counter went back
 */
export async function acceptSigned(
  ctx: Context,
  tx: Transaction,
  purpose: ChallengePurpose,
  user: User,
  { id, challenge, counter, isBackedUp }: Signed,
): Promise<SignInToken | undefined> {
  const taken = await takeChallenge(ctx, tx, purpose, challenge)
  const [passkey] = await tx.select().from(passkeys).where(eq(passkeys.id, id))
  if (!taken || passkey?.userId !== user.id) return undefined
  // A copy of the device counts by itself. Most devices do not count: both are 0.
  const isAhead = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter)
  const counted = await tx
    .update(passkeys)
    .set({ counter, isBackedUp, lastUsedAt: new Date(ctx.now()) })
    .where(and(eq(passkeys.id, id), isAhead))
    .returning({ id: passkeys.id })
  if (counted.length === 1) return taken
  const event = { event: 'passkey.counter_went_back', userId: user.id, passkeyId: id }
  ctx.log.warn(event, 'a passkey counts less than before: perhaps it is a copy')
  return undefined
}

/**
 * Verifies a new passkey, also outside of a transaction.
 * @returns the challenge, and the columns that the device determines; undefined if it is wrong in any respect
 */
export async function verifyNew(ctx: Context, credential: Credential) {
  const { data } = attestation.safeParse(credential)
  if (!data) return undefined
  const { verifyRegistrationResponse } = await webauthn()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      ...expectations(ctx, data.response.clientDataJSON),
      response: data as RegistrationResponseJSON,
    })
    // The id that was bounded above is the one that is stored.
    if (!verified || registrationInfo.credential.id !== data.id) return undefined
    const { credential: created, credentialBackedUp: isBackedUp } = registrationInfo
    return {
      challenge: challengeIn(data.response.clientDataJSON),
      columns: {
        credentialId: created.id,
        publicKey: Buffer.from(created.publicKey).toString('base64url'),
        counter: created.counter,
        transports: data.response.transports.join(' '),
        isBackedUp,
      },
    }
  } catch {
    return undefined
  }
}
