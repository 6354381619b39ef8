import { z } from 'zod'
import { settings, wholeNumber } from './types.ts'

const base64 = () => z.string().regex(/^[\w+/-]+={0,2}$/, 'must be base64, as the Firebase console shows it')

/** The password hash parameters of a Firebase project whose users are imported, and emails to users without a password. */
export const imports = settings({
  /** base64_signer_key of the Firebase project. Keep it until all imported users have logged in. Empty: none. */
  signerKey: ['FIREBASE_SIGNER_KEY', base64().optional()],
  /** base64_salt_separator of the Firebase project. Only an import reads it. */
  saltSeparator: ['FIREBASE_SALT_SEPARATOR', base64().default('Bw==')],
  /** rounds of the Firebase project. Only an import reads it. */
  rounds: ['FIREBASE_ROUNDS', wholeNumber({ min: 1, max: 8 }).default(8)],
  /** mem_cost of the Firebase project. Only an import reads it. */
  memoryCost: ['FIREBASE_MEM_COST', wholeNumber({ min: 1, max: 14 }).default(14)],
  /** Invitations of imported users that are emailed in a minute, by all instances together. */
  invitationsPerMinute: ['IMPORT_INVITATIONS_PER_MINUTE', wholeNumber({ min: 1, max: 6000 }).default(60)],
})
