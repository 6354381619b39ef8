// Reads blueprints/add-ons/ when it is loaded. The build puts what it read in its place (build.js), so that the command
// reads nothing.
import fs from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { foldersIn } from '../system/file-system.ts'
import { MODES, PROFILES } from './variant.ts'

const ROOT = join(import.meta.dirname, '../../blueprints/add-ons')

/** A capability that a project can have or not: the content of its add-on.json. */
const definition = z.strictObject({
  line: z.string().min(1).describe('one line for prompts, help and documentation'),
  since: z
    .string()
    .regex(/^\d+\.\d+\.\d+$/)
    .describe('the version of create-authsmith that brought it'),
  modes: z.array(z.enum(MODES)).min(1).describe('the modes that allow it'),
  profile: z.enum(PROFILES).optional().describe('the only profile that allows it; both if missing'),
  removal: z
    .string()
    .optional()
    .describe('what its removal means for users and operators; nothing if missing'),
  isSignIn: z
    .literal(true)
    .optional()
    .describe('whether users log in or protect themselves by it: a switch takes it out only with --remove'),
  isDefault: z
    .literal(true)
    .optional()
    .describe('whether a new project has it unless its user says otherwise'),
})

export type Definition = z.output<typeof definition> & {
  /** Whether it has tables of its own. */
  readonly hasTables: boolean
}

/** @throws Error that names the file if it is not what the schema says */
function read<T>(schema: z.ZodType<T>, ...path: string[]): T {
  const file = join(ROOT, ...path)
  const { data, error } = schema.safeParse(JSON.parse(fs.readFileSync(file, 'utf8')))
  if (error) throw new Error(`${file}: ${z.prettifyError(error)}`)
  return data as T
}

/** Whether a folder has the migration that `npm run add-on-tables` writes. */
const hasTables = (folder: string, name: string) =>
  fs.existsSync(join(ROOT, folder, `sqlite/migrations/sqlite/${name}.sql`))

const names = foldersIn(fs, ROOT).filter((name) => name !== '_shared')

/** Every add-on, by name. Flags, prompts, the JSON Schema, help, layers and documentation derive from this. */
export const definitions: Readonly<Record<string, Definition>> = Object.fromEntries(
  names.map((name) => [name, { ...read(definition, name, 'add-on.json'), hasTables: hasTables(name, name) }]),
)

/** The words of what several add-ons share, each with its users. A project has it with any of them. */
export const shared: Readonly<Record<string, { readonly users: string[]; readonly hasTables: boolean }>> =
  Object.fromEntries(
    foldersIn(fs, join(ROOT, '_shared')).map((word) => [
      word,
      {
        users: read(z.array(z.enum(names)).min(1), '_shared', word, 'used-by.json'),
        hasTables: hasTables(`_shared/${word}`, word),
      },
    ]),
  )
