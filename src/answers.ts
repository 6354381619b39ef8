import * as z from 'zod'
import { NAME, NAME_MAX_LENGTH, nameFault } from './names.ts'
import { PACKAGE_MANAGERS, type PackageManager } from './package-managers.ts'

export const MODES = ['none', 'basic', 'complete'] as const
export const PROFILES = ['A', 'B'] as const
export const DATABASES = ['sqlite', 'postgres'] as const

/** What an answer is where nobody gives it and `--yes` forbids asking. */
export const DEFAULTS = { mode: 'complete', profile: 'B', database: 'sqlite' } as const

/** "a, b or c" */
export const alternatives = (values: readonly string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(values)

const oneOf = (values: readonly string[]) => ({ error: `must be ${alternatives(values)}` })

/** Each answer, as a flag or as a member of an answers file gives it. */
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
    .enum([...PROFILES, 'a', 'b'], oneOf(PROFILES))
    .transform((profile) => (profile === 'A' || profile === 'a' ? 'A' : 'B'))
    .describe('profile of the specification; absent with mode none'),
  database: z.enum(DATABASES, oneOf(DATABASES)),
  packageManager: z.enum(PACKAGE_MANAGERS, oneOf(PACKAGE_MANAGERS)),
}

/** Some of the answers: the file that `--from` reads, and what `--print-schema` describes. */
export const partialAnswers = z
  .strictObject(answerFields)
  .partial()
  .meta({ title: 'create-authsmith answers' })

export type Field = keyof typeof answerFields
export type PartialAnswers = z.output<typeof partialAnswers>

/** All answers: what decides every byte of the project but its secrets. */
export interface Answers {
  readonly name: string
  readonly mode: (typeof MODES)[number]
  /** Absent with mode none. */
  readonly profile?: (typeof PROFILES)[number]
  readonly database: (typeof DATABASES)[number]
  readonly packageManager: PackageManager
}
