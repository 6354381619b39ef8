import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { alternatives } from '../system/printing.ts'
import { ADD_ON_NAMES, type AddOn, isAllowed, requirementOf, sortedAddOns } from './add-ons.ts'
import { NAME, NAME_MAX_LENGTH, nameFault } from './names.ts'
import { PACKAGE_MANAGERS, type PackageManager } from './package-managers.ts'
import { DATABASES, MODES, PROFILES, type Profile, type Variant, variantOf } from './variant.ts'

const oneOf = (values: readonly string[]) => ({ error: `must be ${alternatives(values)}` })

/** The schema of each answer, for flags and for members of an answers file. */
export const answerFields = {
  name: z
    .string({ error: 'must be a string' })
    .superRefine((name, context) => {
      const fault = nameFault(name)
      if (fault) context.addIssue({ code: 'custom', message: fault })
    })
    .meta({ description: "the project's name", pattern: NAME.source, maxLength: NAME_MAX_LENGTH }),
  mode: z.enum(MODES, oneOf(MODES)).describe('authentication mode'),
  profile: z
    .enum([...PROFILES, ...PROFILES.map((profile) => profile.toLowerCase())], oneOf(PROFILES))
    .transform((profile) => profile.toUpperCase() as Profile)
    .describe('profile of the specification; absent with mode none'),
  database: z.enum(DATABASES, oneOf(DATABASES)),
  addOns: z
    .array(z.enum(ADD_ON_NAMES, oneOf(ADD_ON_NAMES)), { error: 'must be a list of add-ons' })
    .transform((addOns): readonly AddOn[] => sortedAddOns(addOns))
    .describe('capabilities besides the core'),
  packageManager: z.enum(PACKAGE_MANAGERS, oneOf(PACKAGE_MANAGERS)),
}

/** Any subset of the answers: the file that `--from` reads and `--print-schema` describes. */
export const partialAnswers = z
  .strictObject(answerFields)
  .partial()
  .meta({ title: 'create-authsmith answers' })

export type Field = keyof typeof answerFields
export type PartialAnswers = z.output<typeof partialAnswers>

/** All answers. They determine every byte of the project except its secrets. */
export type Answers = Variant & {
  readonly name: string
  /** Sorted, each once. */
  readonly addOns: readonly AddOn[]
  readonly packageManager: PackageManager
}

export const isSameAnswers = (one: PartialAnswers, other: PartialAnswers): boolean =>
  (Object.keys({ ...one, ...other }) as Field[]).every((key) => isDeepStrictEqual(one[key], other[key]))

/** The schema of all answers, as a manifest stores them. */
export const allAnswers = z
  .strictObject({ ...answerFields, profile: answerFields.profile.optional() })
  .transform(({ name, addOns, packageManager, ...rest }, context): Answers => {
    const variant = variantOf(rest)
    const refused = variant && addOns.find((addOn) => !isAllowed(addOn, variant))
    if (variant && !refused) return { name, ...variant, addOns, packageManager }
    const fault = refused ? `${refused} needs ${requirementOf(refused)}` : 'every mode but none has a profile'
    context.addIssue({ code: 'custom', message: fault })
    return z.NEVER
  })
