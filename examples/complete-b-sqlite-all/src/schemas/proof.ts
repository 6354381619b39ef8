import { z } from 'zod'
import { text } from './text.ts'

/** A code of a second factor, as users type it. */
export const factorCode = text(20).meta({
  description: 'The code that the second factor shows',
  examples: ['123456'],
})

/** What confirms a change. All optional: what is missing is refused as a wrong one is, not as a malformed request. */
export const proofFields = {
  code: factorCode.optional(),
  recovery_code: text(40).optional().meta({ description: 'One of the recovery codes' }),
}

export const recoveryCodesResponse = z.object({
  recovery_codes: z.array(z.string()).meta({ examples: [['7K3QX-9M2TW']] }),
})
