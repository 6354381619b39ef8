import { join } from 'node:path'
import type { System } from '../system/system.ts'
import { filesInCommit } from '../tools/git.ts'
import { listed } from './pending.ts'

/**
 * Says which of the written files a commit of all changes would not contain: the owner sees nothing in git, and a
 * deployment from git lacks them. Nothing is refused for it, because an owner may keep files out of git on purpose.
 * @returns a note for each reason
 */
export async function leftOutNotes(
  system: System,
  project: string,
  written: readonly string[],
): Promise<string[]> {
  const known = await filesInCommit(system, project)
  if (!known) return []
  const inside = new Map<string, string[]>()
  const [ignored, unwatched]: [string[], string[]] = [[], []]
  // Every project ignores .env. While there are conflicts, base.json may not exist yet.
  const isThere = (path: string) => path !== '.env' && system.fs.existsSync(join(project, path))
  for (const path of written.filter((path) => isThere(path) && known.get(path) !== true)) {
    const other = [...known.keys()].find((entry) => path.startsWith(`${entry}/`))
    if (other !== undefined) inside.set(other, [...(inside.get(other) ?? []), path])
    else (known.has(path) ? unwatched : ignored).push(path)
  }
  const [first] = ignored
  return [
    ...(first === undefined
      ? []
      : [
          `git ignores ${listed(ignored)}: a commit and a deployment from git lack ${them(ignored)}. Change the rule that \`git check-ignore --verbose ${first}\` names, or run \`git add --force\` with ${them(ignored)}`,
        ]),
    ...[...inside].map(
      ([folder, paths]) =>
        `${folder} is another git repository, to which the update wrote ${listed(paths)}: commit there first, then here`,
    ),
    ...(unwatched.length === 0
      ? []
      : [
          `git does not look for changes in ${listed(unwatched)}: run \`git update-index --no-assume-unchanged --no-skip-worktree\` with ${them(unwatched)} before you commit`,
        ]),
  ]
}

const them = (paths: readonly string[]): string => (paths.length === 1 ? 'it' : 'them')
