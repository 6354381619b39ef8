import { randomBytes } from 'node:crypto'
import { desc, eq } from 'drizzle-orm'
import type { Context } from '../context.ts'
import type { Reader, Transaction } from '../db/database.ts'
import { passkeys } from '../db/schema/passkeys.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { emailUser, withoutLinks } from '../email/outbox.ts'
import { ApiError } from '../errors/api-error.ts'
import { type Caller, lockCaller } from '../sessions/caller.ts'
import { brandVariables } from '../settings/theme.ts'
import { requireEmailedToken, takeEmailedToken } from '../sign-in/enrolments.ts'
import type { Credential } from '../sign-in/factors.ts'
import { endTokens, findToken, hashToken, insertToken, restsOn } from '../sign-in/tokens.ts'
import { type Confirmation, confirmAddition } from '../sign-in/ways-in.ts'
import type { User } from '../users/users.ts'
import { challengeMs, createChallenge, takeChallenge } from './challenges.ts'
import { descriptorsOf, type Passkey, relyingParty, webauthn } from './relying-party.ts'
import { bytesOf, verifyNew } from './verify.ts'

/** What a session has confirmed for its next passkey: whoever cancels the dialogue of the browser is not asked again. */
const confirmedPurpose = 'passkey confirmed'

const tokenOf = ({ sessionId }: Caller) => hashToken(`${confirmedPurpose} ${sessionId}`)

/** The passkeys of a user, newest first. */
export const passkeysOf = (db: Reader, userId: number): Promise<Passkey[]> =>
  db.select().from(passkeys).where(eq(passkeys.userId, userId)).orderBy(desc(passkeys.id))

/**
 * The options of a new passkey, for a session that has confirmed it with `confirmAddition`.
 * @throws ApiError as `confirmAddition`
 */
export async function optionsForNew(ctx: Context, caller: Caller, confirmation: Confirmation) {
  const isConfirmed = await hasConfirmed(ctx, ctx.db.read, caller)
  const { user, known, handle, challenge } = isConfirmed
    ? await ctx.db.transaction(async (tx) => {
        const user = await lockCaller(ctx, tx, caller)
        if (!(await hasConfirmed(ctx, tx, caller))) throw new ApiError('invalid_code')
        return begin(ctx, tx, caller, user)
      })
    : await confirmAddition(ctx, caller, confirmation, async (tx, user) => {
        await keepConfirmed(ctx, tx, caller, user)
        return begin(ctx, tx, caller, user)
      })
  const { generateRegistrationOptions } = await webauthn()
  return generateRegistrationOptions({
    rpID: relyingParty(ctx.config).id,
    rpName: brandVariables(ctx.config).app_name,
    userID: bytesOf(handle),
    userName: user.username,
    challenge: bytesOf(challenge),
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: descriptorsOf(known),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** What the options contain, of a user whose row is locked. */
async function begin(ctx: Context, tx: Transaction, { sessionId }: Caller, user: User) {
  const known = await passkeysOf(tx, user.id)
  // The same for all of a user, or a device would show two accounts. Their id would tell other sites who they are.
  const handle = known[0]?.userHandle ?? randomBytes(32).toString('base64url')
  const asked = { user, sessionId, data: { handle } }
  return { user, known, handle, challenge: await createChallenge(ctx, tx, 'passkey registration', asked) }
}

async function hasConfirmed(ctx: Context, db: Reader, caller: Caller): Promise<boolean> {
  const token = await findToken(ctx, db, confirmedPurpose, [tokenOf(caller)])
  return token !== undefined && restsOn(token, caller.user)
}

async function keepConfirmed(ctx: Context, tx: Transaction, caller: Caller, user: User): Promise<void> {
  const { sessionId } = caller
  const token = tokenOf(caller)
  await tx.delete(signInTokens).where(eq(signInTokens.token, token))
  await insertToken(ctx, tx, { token, purpose: confirmedPurpose, user, sessionId, lifetimeMs: challengeMs })
}

/**
 * Adds a passkey of a caller, whose emailed token it uses up.
 * @throws ApiError user_not_verified, emailed_token_required, invalid_or_expired_token, invalid_code, invalid_token
 */
export async function addPasskey(
  ctx: Context,
  caller: Caller,
  {
    name,
    credential,
    emailedToken,
  }: { name: string; credential?: Credential | undefined; emailedToken?: string | undefined },
): Promise<Passkey> {
  const emailed = await requireEmailedToken(ctx, caller, emailedToken)
  const created = credential && (await verifyNew(ctx, credential))
  if (!created) throw new ApiError('invalid_code')
  return ctx.db.transaction(async (tx) => {
    const user = await lockCaller(ctx, tx, caller)
    const challenge = await takeChallenge(ctx, tx, 'passkey registration', created.challenge)
    // Of this session: what another one of the user has begun, a thief's for instance, ends there.
    if (challenge?.sessionId !== caller.sessionId || !restsOn(challenge, user))
      throw new ApiError('invalid_code')
    await takeEmailedToken(ctx, tx, user, caller, emailed)
    const { handle: userHandle } = JSON.parse(challenge.data)
    const row = { ...created.columns, name, userId: user.id, userHandle, createdAt: new Date(ctx.now()) }
    const [passkey] = await tx.insert(passkeys).values(row).onConflictDoNothing().returning()
    // A passkey of another user, or the same one again.
    if (!passkey) throw new ApiError('invalid_code')
    await endTokens(ctx, tx, user.id)
    await emailUser(ctx, tx, user, 'passkey_added', { name: withoutLinks(name) })
    return passkey
  })
}
