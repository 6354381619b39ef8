import { keyText, table, text } from '../dialect.ts'

/** Usernames of deleted users. No reference to `users`: the rows outlive them. */
export const retiredNames = table('retired_names', {
  /** HMAC-SHA256 of the username in lower case: the table reveals no names. One row has `key` here. */
  hash: keyText('hash').primaryKey(),
  /** The key of all hashes, in that row. Null in all others. */
  key: text('key'),
})
