import { z } from 'zod'
import type { Reader } from '../db/database.ts'
import type { User } from '../users/users.ts'
import * as parts from './index.ts'

/** All that is stored about a user, except secrets: the newest rows of each table. */
export const accountExport = z
  .object(Object.assign({}, ...Object.values(parts).map(({ shape }) => shape)))
  .meta({ id: 'AccountExport' })

/** Reads all parts, for the response. */
export async function exportAccount(db: Reader, user: User, now: number) {
  const body = {}
  for (const part of Object.values(parts)) Object.assign(body, await part.read({ db, now, user }))
  return body
}
