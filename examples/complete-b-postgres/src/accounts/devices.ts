import { eq } from 'drizzle-orm'
import type { Transaction } from '../db/database.ts'
import { refreshTokens } from '../db/schema/refresh-tokens.ts'
import type { Client } from './session-store.ts'

/** What a session remembers of its device, for the session that takes its place. */
export async function deviceOf(
  tx: Transaction,
  id: number,
): Promise<Pick<Client, 'deviceName' | 'deviceType'>> {
  const [session] = await tx.select().from(refreshTokens).where(eq(refreshTokens.id, id))
  return { deviceName: session?.deviceName ?? undefined, deviceType: session?.deviceType ?? undefined }
}
