import fc, { type GeneratorValue } from 'fast-check'
import jsTokens from 'js-tokens'
import { type AddOn, allowedAddOns } from '../../src/answers/add-ons.ts'
import type { Answers } from '../../src/answers/answers.ts'
import { withImports } from '../../src/update/owner/owner-moves.ts'
import { STATES } from './project.ts'

type Files = Record<string, string>

/** Random choices, which fast-check makes. */
export const diceOf = (draw: GeneratorValue) => {
  /** At least 0 and below `end`, all equally often. */
  const below = (end: number) => draw(upTo, end - 1)
  return {
    below,
    happens: (percent: number) => below(100) < percent,
    pick: <Item>(items: readonly Item[]) => items[below(items.length)] as Item,
  }
}
const upTo = (max: number) => fc.noBias(fc.nat(max))
type Dice = ReturnType<typeof diceOf>

export function randomState(dice: Dice): Answers {
  const state = dice.pick(STATES)
  return { ...state, addOns: someAddOns(dice, state) }
}

const someAddOns = (dice: Dice, state: Answers): AddOn[] =>
  allowedAddOns(state).filter(() => dice.happens(25))

/** A switch, or add-ons that come and go. */
export function randomStep(dice: Dice, from: Answers): Answers {
  return dice.happens(40) ? { ...from, addOns: someAddOns(dice, from) } : randomState(dice)
}

/** What an owner did. Each line of theirs has a mark of its own. */
export interface Owner {
  readonly does: string[]
  readonly marks: string[]
  /** Files that were never generated. */
  readonly own: Files
}

const CODE = /\.[cm]?[jt]s$/
const EDITED = /\.(?:[cm]?[jt]s|css|html|mustache|md|txt|ya?ml)$|(?:^|\/)(?:Dockerfile|Caddyfile)$/

/** A comment in a line of its own; undefined if the file can have none. */
function comment(path: string, mark: string): string | undefined {
  if (CODE.test(path)) return `// ${mark}`
  if (path.endsWith('.css')) return `/* ${mark} */`
  if (/\.(?:html|mustache)$/.test(path)) return `<!-- ${mark} -->`
  return /\.ya?ml$|file$/.test(path) ? `# ${mark}` : undefined
}

/** Changes the files as an owner might. */
export function randomOwner(dice: Dice, files: Files, onlyComments: boolean): Owner {
  const owner: Owner = { does: [], marks: [], own: {} }
  const paths = () => Object.keys(files).filter((path) => EDITED.test(path) && !owner.own[path])
  const mark = () => {
    const text = `ours-${owner.marks.length}-${dice.below(1e9)}`
    owner.marks.push(text)
    return text
  }
  const edits: Record<string, () => void> = {
    comment: () => {
      const path = dice.pick(paths().filter((each) => comment(each, '') !== undefined))
      const lines = files[path]?.split('\n') ?? []
      const at = dice.pick(commentable(path, files[path] ?? ''))
      lines.splice(at, 0, comment(path, mark()) ?? '')
      files[path] = lines.join('\n')
      owner.does.push(`comment ${path}:${at}`)
    },
    header: () => {
      const text = mark()
      for (const path of paths()) {
        const line = CODE.test(path) ? comment(path, text) : undefined
        if (line !== undefined) files[path] = `${line}\n${files[path]}`
      }
      owner.does.push('header')
    },
    own: () => {
      const path = `${dice.pick(['', 'src/', 'src/routes/', 'docs/', 'test/', 'ours/'])}own-${dice.below(1e6)}.ts`
      owner.own[path] = files[path] = `export const own = '${mark()}'\n`
      owner.does.push(`own ${path}`)
    },
    line: () => {
      const path = dice.pick(paths())
      const lines = files[path]?.split('\n') ?? []
      const [at, gone] = [dice.below(lines.length), dice.below(3)]
      const added = dice.happens(70) ? [`${dice.happens(50) ? '  ' : ''}void '${mark()}'`] : []
      lost(owner, lines.splice(at, gone, ...added))
      files[path] = lines.join('\n')
      owner.does.push(`line ${path}:${at} -${gone} +${added.length}`)
    },
    delete: () => {
      const path = dice.pick(paths())
      lost(owner, [files[path] ?? ''])
      delete files[path]
      owner.does.push(`delete ${path}`)
    },
    move: () => {
      const path = dice.pick(paths())
      const folder = dice.pick(['', 'moved/', 'src/moved/', path.replace(/[^/]+$/, '')])
      move(files, new Map([[path, `${folder}m${dice.below(1e6)}-${path.split('/').at(-1)}`]]))
      owner.does.push(`move ${path} to ${folder}`)
    },
    folder: () => {
      const path = dice.pick(paths().filter((each) => each.includes('/')))
      const parts = path.split('/').slice(0, -1)
      const folder = parts.slice(0, 1 + dice.below(parts.length)).join('/')
      const to = dice.pick([`${folder}2`, `moved/${folder}`, `f${dice.below(1e6)}`])
      const inside = Object.keys(files).filter((each) => each.startsWith(`${folder}/`) && !owner.own[each])
      move(files, new Map(inside.map((each) => [each, to + each.slice(folder.length)])))
      owner.does.push(`folder ${folder} to ${to}`)
    },
    quotes: () => {
      const share = dice.pick([50, 100])
      for (const path of paths())
        if (CODE.test(path) && dice.happens(share)) files[path] = requoted(files[path] ?? '')
      owner.does.push(`quotes ${share}`)
    },
  }
  const kinds = onlyComments ? ['comment', 'comment', 'comment', 'header', 'own'] : Object.keys(edits)
  const count = 1 + dice.below(12)
  for (let n = 0; n < count; n++) edits[dice.pick(kinds)]?.()
  return owner
}

/** A line of the owner's that they took out again is theirs no more. */
function lost({ marks }: Owner, lines: readonly string[]): void {
  const text = lines.join('\n')
  for (const mark of marks.filter((each) => text.includes(each))) marks.splice(marks.indexOf(mark), 1)
}

/** The lines before which a comment is one: not in a template literal, nor in another comment. */
function commentable(path: string, text: string): number[] {
  const lines = text.split('\n').map((_, at) => at)
  if (!CODE.test(path)) return /\.(?:css|html|mustache)$/.test(path) ? [0] : lines.filter((at) => at === 0)
  let line = 0
  const inside = new Set<number>()
  for (const { value } of jsTokens(text)) {
    const breaks = /^\s+$/.test(value) ? 0 : value.split('\n').length - 1
    for (let n = 1; n <= breaks; n++) inside.add(line + n)
    line += value.split('\n').length - 1
  }
  return lines.filter((at) => !inside.has(at))
}

function move(files: Files, moves: ReadonlyMap<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    const changed = /\.[cm]?[jt]s$/.test(path) ? withImports(path, moves, text) : text
    if (changed !== text) files[path] = changed
  }
  for (const [from, to] of moves) {
    files[to] = files[from] ?? ''
    delete files[from]
  }
}

const requoted = (text: string): string =>
  [...jsTokens(text)]
    .map(({ type, value }) =>
      type === 'StringLiteral' && /^'[^"\\]*'$/.test(value) ? `"${value.slice(1, -1)}"` : value,
    )
    .join('')
