import { definitionOf } from '../../answers/add-ons.ts'
import type { Answers } from '../../answers/answers.ts'
import { readEnv } from '../../env/env-file.ts'
import type { Tree } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/** What the owner has to know about add-ons that an update takes out. */
export function removalNotes(from: Answers, to: Answers, tree: Tree, base: Files, next: Files): string[] {
  const removed = from.addOns.filter((addOn) => !to.addOns.includes(addOn))
  if (removed.length === 0) return []
  const why = (addOn: (typeof removed)[number]) => definitionOf(addOn).removal
  return [
    ...removed.map((addOn) => `removed ${addOn}${why(addOn) ? `: ${why(addOn)}` : ''}`),
    ...unreadIn(tree, settingsOnlyIn(base, next)),
  ]
}

/** Names the files that an update deletes with comments of the owner's. */
export function commentNotes(files: readonly UpdateFile[]): string[] {
  const gone = files.filter(({ decision: { action, detail } }) => action === 'delete' && detail)
  const paths = gone.map(({ path }) => path).join(', ')
  return paths ? [`comments of yours are gone with the code: ${paths}`] : []
}

/** The end of the report of an addition: where to read on, and the settings to set; nothing without one. */
export function additionText(
  from: Answers,
  to: Answers,
  tree: Tree,
  base: Files,
  next: Files,
  home: (path: string) => string,
): string | undefined {
  const added = to.addOns.filter((addOn) => !from.addOns.includes(addOn))
  if (added.length === 0) return undefined
  const settings = settingsOnlyIn(next, base)
  const again = setIn(tree, '.env', settings)
  const fresh = settings.filter((name) => !again.includes(name))
  const line = (title: string, names: string[]) =>
    names.length > 0 ? `\n${title}: ${names.join(', ')}.` : ''
  const set = line('New settings', fresh) + line('Read again from .env', again)
  return `Added ${added.join(', ')}. Read ${added.map((addOn) => home(`docs/${addOn}.md`)).join(', ')}.${set}`
}

/** The settings in the .env.example of one state and not in that of the other. */
function settingsOnlyIn(one: Files, other: Files): string[] {
  const names = (files: Files) => Object.keys(readEnv(files.get('.env.example') ?? ''))
  const others = names(other)
  return names(one).filter((name) => !others.includes(name))
}

/** The settings that a .env file of the owner has. */
function setIn(tree: Tree, path: string, settings: readonly string[]): string[] {
  const present = readEnv(tree.text(path) ?? '')
  return settings.filter((name) => present[name] !== undefined)
}

/** A note for each of the owner's .env files that has some of the settings. */
function unreadIn(tree: Tree, settings: readonly string[]): string[] {
  return ['.env', ...tree.envPaths].flatMap((path) => {
    const unread = setIn(tree, path, settings)
    return unread.length === 0 ? [] : [`${path}: no longer read: ${unread.join(', ')}`]
  })
}
