import { originList, settings } from './types.ts'

/** Sessions of browsers. */
export const cookies = settings({
  /** Other origins of the same site whose pages use the cookie, comma-separated. Empty: none. */
  origins: ['COOKIE_ORIGINS', originList().default([])],
})
