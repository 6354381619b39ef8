import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { type LoginStep, openSession } from '../accounts/log-in.ts'
import type { Context } from '../context.ts'
import type { Transaction } from '../db/database.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { ApiError } from '../errors/api-error.ts'
import { isMfa } from '../sessions/caller.ts'
import { countRecoveryCodes, factorsOf } from './factors.ts'
import { checkProof, ofLogin, type Proof, prove } from './prove.ts'
import {
  committed,
  deleteToken,
  findToken,
  hashToken,
  insertToken,
  type LockedToken,
  lockToken,
  type SignInToken,
} from './tokens.ts'

/** A pending login is a login that is right so far, and lacks the second factor. It is no session, and works once. */

const purpose = 'login'
const lifetimeSeconds = 5 * 60

/** Wrong codes after which a pending login is void. */
const maxTries = 5

/**
 * The step of every login that asks for a second factor. It looks the factors up under the lock of the user's row, in the
 * transaction that would insert the session: one that is added at the same moment is asked for, or ends the session.
 */
export const askForFactor: LoginStep = async (ctx, tx, login) => {
  // A way that proves no factor of its own, such as a provider, has an empty one.
  login.amr ??= 'pwd'
  const { user, client, amr } = login
  if (isMfa(amr)) return undefined
  const owned = await factorsOf(tx, user.id)
  if (!owned.some(({ factor }) => factor.asks)) return undefined
  const text = randomBytes(32).toString('base64url')
  await insertToken(ctx, tx, {
    token: hashToken(text),
    purpose,
    user,
    data: { amr, client },
    lifetimeMs: lifetimeSeconds * 1000,
  })
  // What takes neither, such as an account at a provider, answers nothing.
  const answering = owned.filter(({ factor }) => factor.acceptCode || factor.acceptCredential)
  const namesOf = (asks: boolean) =>
    answering.flatMap(({ factor }) => (factor.asks === asks ? [factor.name] : []))
  const hasCodes = (await countRecoveryCodes(tx, user.id)) > 0
  return new ApiError('mfa_required', {
    members: {
      mfa_token: text,
      expires_in: lifetimeSeconds,
      factors: [...namesOf(true), ...(hasCodes ? ['recovery_code'] : []), ...namesOf(false)],
    },
    log: { userId: user.id },
  })
}

/** @throws ApiError invalid_mfa_token */
export async function lockPendingLogin(ctx: Context, tx: Transaction, text: string): Promise<LockedToken> {
  const pending = await lockToken(tx, () => findToken(ctx, tx, purpose, [hashToken(text)]))
  if (!pending) throw new ApiError('invalid_mfa_token')
  return pending
}

/**
 * Consumes a pending login whose factor was proved in this transaction, and opens the session.
 * @param factor the `amr` of the factor (RFC 8176)
 */
export async function finishLogin(
  ctx: Context,
  tx: Transaction,
  { token, user }: LockedToken,
  factor: string,
) {
  await deleteToken(tx, token)
  // The client of its beginning: people change from Wi-Fi to mobile meanwhile.
  const { amr, client } = JSON.parse(token.data)
  const opened = await openSession(ctx, tx, { user, client, amr: `${amr} ${factor} mfa`.trim() })
  return 'refused' in opened ? opened.refused : { userId: user.id, tokens: opened.tokens }
}

/**
 * Finishes a pending login with a code, or with a credential of a device.
 * @returns the user's id, and the body of the response
 * @throws ApiError invalid_mfa_token, wrong_mfa_code, user_not_verified, too_many_requests
 */
export async function completeMfa(ctx: Context, text: string, given: Omit<Proof, 'asked'>) {
  const found = await findToken(ctx, ctx.db.read, purpose, [hashToken(text)])
  const owner = found?.userId ? await ctx.users.findById(found.userId) : undefined
  if (!found || !owner) throw new ApiError('invalid_mfa_token')
  const proof = { ...given, asked: ofLogin(found.id) }
  const checked = await checkProof(ctx, owner, proof)
  return committed(ctx, async (tx) => {
    const pending = await lockPendingLogin(ctx, tx, text)
    const method = await prove(ctx, tx, pending.user, proof, checked)
    if (method !== undefined) return finishLogin(ctx, tx, pending, method)
    await countTry(tx, pending.token)
    return new ApiError('wrong_mfa_code', { log: { userId: pending.user.id } })
  })
}

/** Counts a wrong code. The last one consumes the pending login. */
async function countTry(tx: Transaction, token: SignInToken): Promise<void> {
  const tries = token.tries + 1
  if (tries >= maxTries) await deleteToken(tx, token)
  else await tx.update(signInTokens).set({ tries }).where(eq(signInTokens.id, token.id))
}
