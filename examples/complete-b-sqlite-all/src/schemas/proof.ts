import { z } from 'zod'
import type { Caller } from '../sessions/caller.ts'
import { ofSession, type Proof } from '../sign-in/prove.ts'
import { text } from './text.ts'

/** A code of a second factor, as users type it. */
export const factorCode = text(20).meta({
  description: 'The code that the second factor shows',
  examples: ['123456'],
})

/** What a device signed, of a factor without codes, which alone looks into it: whatever is wrong, the answer is the same. */
export const credential = z
  .looseObject({})
  .meta({ description: 'What a device signed, as the browser gives it with `toJSON()`' })

/** What confirms a change, without recovery codes. All optional: what is missing is refused as a wrong one is. */
export const codeFields = {
  code: factorCode.optional(),
  credential: credential.optional(),
}

/** What confirms a change. */
export const proofFields = {
  ...codeFields,
  recovery_code: text(40).optional().meta({ description: 'One of the recovery codes' }),
}

/** The fields of a body, of those that its route takes. */
type Given = Partial<z.output<z.ZodObject<typeof proofFields>>>

/** What proves a pending login, as its flow takes it. */
export const givenProof = ({ code, recovery_code: recoveryCode, ...rest }: Given, address: string) => ({
  ...{ code, recoveryCode, ...rest, address },
})

/** What proves the session of a request. */
export const proofOf = ({
  body,
  caller,
  ip,
}: {
  body?: Given | null
  caller: Caller
  ip: string
}): Proof => ({
  ...givenProof(body ?? {}, ip),
  asked: ofSession(caller),
})

export const recoveryCodesResponse = z.object({
  recovery_codes: z.array(z.string()).meta({ examples: [['7K3QX-9M2TW']] }),
})

/** Options for a browser, in the JSON of WebAuthn Level 3. */
export const optionsResponse = z.object({ options: z.looseObject({ challenge: z.string() }) })
