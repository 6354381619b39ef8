import { type Answers, isSameAnswers } from '../../answers/answers.ts'
import { isProfileSwitch } from '../../answers/variant.ts'
import { carryEnv, ELSEWHERE } from '../../env/carry.ts'
import type { Project } from '../../project/manifest.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

export interface PlannedEnv {
  /** .env, if it changes. */
  readonly files: readonly UpdateFile[]
  readonly notes: readonly string[]
}

/**
 * Adds the new settings to the owner's .env, if the settings changed and the project has a .env.
 * @param next the files of the new state
 */
export function planEnv({ tree, manifest, base }: Project, to: Answers, next: Files): PlannedEnv {
  const from = manifest.answers
  const example = next.get('.env.example')
  const isUnchanged = example === base?.files.get('.env.example') && isSameAnswers(from, to)
  if (example === undefined || isUnchanged) return { files: [], notes: [] }
  const others = tree.envPaths
  const elsewhere = others.length === 0 ? [] : [`${others.join(', ')}: not changed; change them like .env`]
  const disk = tree.file('.env')
  if (disk.kind === 'absent')
    return { files: [], notes: [...(isProfileSwitch(from, to) ? [ELSEWHERE] : []), ...elsewhere] }
  if (disk.kind === 'other') {
    return { files: [], notes: [`.env is ${disk.what} and was not changed; compare it with .env.example`] }
  }
  const { text, notes } = carryEnv({ env: disk.text, example, from, to })
  const env: UpdateFile = { path: '.env', disk, decision: { action: 'update', text } }
  return text === disk.text ? { files: [], notes } : { files: [env], notes: [...notes, ...elsewhere] }
}
