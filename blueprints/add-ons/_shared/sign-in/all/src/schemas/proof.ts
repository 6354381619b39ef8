import { z } from 'zod'
import { text } from './text.ts'

/** A code of a second factor, as users type it. */
export const factorCode = text(20).meta({
  description: 'The code that the second factor shows',
  examples: ['123456'],
})

/** For a body that takes `oneProof`. */
export const proofFields = {
  code: factorCode.optional(),
  recovery_code: text(40).optional().meta({ description: 'One of the recovery codes' }),
}

interface ProofBody {
  code?: string | undefined
  recovery_code?: string | undefined
}

/** A body with either a code or a recovery code: `oneProof(z.strictObject(proofFields))`. */
export const oneProof = <Body extends z.ZodType<ProofBody>>(body: Body): Body =>
  body
    .refine(({ code, recovery_code }) => (code === undefined) !== (recovery_code === undefined), {
      error: 'Send either code or recovery_code',
      params: { code: 'code_or_recovery_code' },
      path: ['code'],
    })
    .meta({ anyOf: [{ required: ['code'] }, { required: ['recovery_code'] }] })

export const recoveryCodesResponse = z.object({
  recovery_codes: z.array(z.string()).meta({ examples: [['7K3QX-9M2TW']] }),
})
