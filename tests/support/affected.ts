// A project with a made-up advisory.
import { PROJECT, runSmall, type SmallMemory, smallProject } from './small-project.ts'

export const VULNERABLE = `import { check } from './check.ts'

export function login(text: string) {
  if (text === '') return undefined
  return check(text, { slow: true })
}

export const logout = () => true
`

export const ADVISORY = {
  id: 'AUTHSMITH-2026-001',
  severity: 'high',
  title: 'A long name stops the service',
  affected: '<0.2.0',
  fixedIn: '0.2.0',
  layers: ['core/none'],
  check: 'Log in with 16 KB.',
  files: [
    {
      path: 'src/login.ts',
      changes: [
        {
          before: ["  if (text === '') return undefined", '  return check(text, { slow: true })'],
          after: ["  if (text === '' || text.length > 254) return undefined", '  return check(text)'],
        },
        {
          before: ["import { check } from './check.ts'"],
          after: ["import { check } from './quick-check.ts'"],
        },
      ],
    },
  ],
}
export const FIXED = VULNERABLE.replace('./check.ts', './quick-check.ts')
  .replace("if (text === '')", "if (text === '' || text.length > 254)")
  .replace('check(text, { slow: true })', 'check(text)')

export interface Given {
  /** The file on disk; as generated if undefined. */
  readonly disk?: string | null
  readonly generator?: string
  readonly since?: string
  /** What the last update generated. */
  readonly generated?: string
  readonly advisory?: Partial<typeof ADVISORY>
}

/** A project that version 0.1.0 generated with the vulnerable file. */
export async function affected({
  disk,
  generator = '0.1.0',
  since,
  generated = VULNERABLE,
  advisory,
}: Given = {}) {
  const memory = await smallProject()
  const { volume } = memory
  const read = (file: string) =>
    JSON.parse(volume.readFileSync(`${PROJECT}/.authsmith/${file}`, 'utf8') as string)
  const base = read('base.json')
  volume.fromJSON({
    [`${PROJECT}/.authsmith/manifest.json`]: JSON.stringify({ ...read('manifest.json'), generator, since }),
    [`${PROJECT}/.authsmith/base.json`]: JSON.stringify({
      ...base,
      files: { ...base.files, 'src/login.ts': generated },
    }),
    '/blueprints/advisories.json': JSON.stringify({
      formatVersion: 1,
      advisories: [{ ...ADVISORY, ...advisory }],
    }),
    ...(disk !== null && { [`${PROJECT}/src/login.ts`]: disk ?? generated }),
  })
  return memory
}

export const audit = (memory: SmallMemory, ...argv: string[]) => runSmall(memory, ['audit', ...argv])
export const read = ({ volume }: SmallMemory, path: string) =>
  volume.readFileSync(`${PROJECT}/${path}`, 'utf8') as string
export const baseOf = (memory: SmallMemory) => JSON.parse(read(memory, '.authsmith/base.json'))
