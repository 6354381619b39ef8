import { type AnyColumn, and, eq, gt, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/database.ts'
import { isUniqueViolation, lowerCase } from '../db/dialect.ts'
import { forUpdate, prepare } from '../db/queries.ts'
import { type User, users } from '../db/schema/users.ts'
import { ApiError } from '../errors/api-error.ts'
import { isUsername, normalizeEmail, withoutSpaces } from './names.ts'
import { rejectRetiredName } from './retired-names.ts'

export type { User }

export interface NewUser {
  /** Normalized, see names.ts. */
  email: string
  username: string
  hashedPassword: string
}

export type UserQueries = ReturnType<typeof createUserQueries>

/** Reads user rows. Each statement is prepared once. */
export function createUserQueries(db: Database) {
  const prepareBy = (key: SQL | AnyColumn) => {
    const isFound = sql`${key} = ${sql.placeholder('key')}`
    return prepare(db.read.select().from(users).where(isFound))
  }
  const byId = prepareBy(users.id)
  const byEmail = prepareBy(lowerCase(users.email))
  const byUsername = prepareBy(lowerCase(users.username))

  return {
    findById: async (id: number): Promise<User | undefined> => (await byId({ key: id }))[0],
    /** Finds a user by the username or email as typed. */
    async findByLogin(text: string): Promise<User | undefined> {
      const login = withoutSpaces(text)
      const email = normalizeEmail(login)
      if (email !== undefined) return (await byEmail({ key: email }))[0]
      if (isUsername(login)) return (await byUsername({ key: login.toLowerCase() }))[0]
      return undefined
    },
  }
}

/** Locks the user's row until the transaction ends. Do this first when changing a password or ending sessions. */
export async function lockUser(tx: Transaction, id: number): Promise<User | undefined> {
  const [user] = await forUpdate(tx.select().from(users).where(eq(users.id, id)))
  return user
}

/** Locks the rows of users in the order of their ids: otherwise, two who change each other would wait for each other. */
export const lockUsers = async (tx: Transaction, ids: number[]): Promise<User[]> =>
  forUpdate(tx.select().from(users).where(inArray(users.id, ids)).orderBy(users.id))

/** The row of a new user, with its times. */
export const newRow = <Row extends NewUser>(user: Row, now: number) => ({
  ...user,
  createdAt: new Date(now),
  updatedAt: new Date(now),
})

/** @throws ApiError already_registered. The text does not reveal which of the two is taken. */
export async function insertUser(tx: Transaction, user: NewUser & UserChange, now: number): Promise<User> {
  return rejectDuplicates(async () => {
    const [created] = await tx.insert(users).values(newRow(user, now)).returning()
    if (!created) throw new Error('The database returned no row for a new user')
    await rejectRetiredName(tx, created)
    return created
  })
}

/** The id, the username and the registration time never change. */
export type UserChange = Partial<Omit<User, 'id' | 'username' | 'createdAt'>>

/** @throws ApiError already_registered */
export async function updateUser(tx: Transaction, id: number, change: UserChange): Promise<User> {
  return rejectDuplicates(async () => {
    const [updated] = await tx.update(users).set(change).where(eq(users.id, id)).returning()
    if (!updated) throw new Error(`There is no user ${id}`)
    return updated
  })
}

async function rejectDuplicates<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (isUniqueViolation(error, 'users_email_unique', 'users_username_unique'))
      throw new ApiError('already_registered')
    throw error
  }
}

interface Page {
  /** The id after which the page starts. */
  after: number
  limit: number
  /** A part of the username or email, in any case. */
  search?: string | undefined
}

/** A page of users in the order of their ids. */
export const listUsers = async (db: Database, { after, limit, search }: Page): Promise<User[]> =>
  db.read
    .select()
    .from(users)
    .where(and(gt(users.id, after), search === undefined ? undefined : contains(search)))
    .orderBy(users.id)
    .limit(limit)

function contains(search: string): SQL | undefined {
  // As typed: an underscore is frequent in names, and LIKE takes it for any character.
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  const isLike = (column: SQL) => sql`${column} LIKE ${pattern} ESCAPE '\\'`
  return or(isLike(lowerCase(users.username)), isLike(lowerCase(users.email)))
}
