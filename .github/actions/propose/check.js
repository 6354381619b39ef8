// What a job that ran code of the project may hand over. All of it may be an attacker's.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const MAX_BYTES = { 'proposal.json': 2_000_000, 'update.patch': 20_000_000 }

/** Letters of any language, and no control characters, which could hide a part of the text. */
const HIDDEN = /[^\P{C}\n\t]/u

/** @returns the texts and the patch of the other job; undefined if there is nothing to update */
export function readProposal(folder) {
  if (!existsSync(join(folder, 'proposal.json'))) return undefined
  const read = (name) => {
    const path = join(folder, name)
    if (statSync(path).size > MAX_BYTES[name])
      throw new Error(`${name} is larger than ${MAX_BYTES[name]} bytes.`)
    return readFileSync(path, name.endsWith('.json') ? 'utf8' : null)
  }
  const { base, title, body, comments } = JSON.parse(read('proposal.json'))
  require(typeof base === 'string' && /^[0-9a-f]{40,64}$/.test(base), 'the base is no commit')
  require(isText(title, 200) && !title.includes('\n'), 'the title is not one short line')
  require(isText(body, 65_000), 'the text is too long or not plain')
  require(Array.isArray(comments) && comments.length <= 100, 'there are too many comments')
  require(comments.every((text) => isText(text, 65_000)), 'a comment is too long or not plain')
  return { base, title, body, comments, patch: read('update.patch') }
}

const isText = (text, max) => typeof text === 'string' && text.length <= max && !HIDDEN.test(text)

/**
 * Refuses what an update never contains, from the output of `git diff-index --cached -z`: links and submodules, which lead
 * elsewhere, and workflows, which GitHub runs with secrets as soon as the branch is pushed.
 */
export function requireFiles(output, { workflows }) {
  const fields = output.split('\0')
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode] = fields[at].split(' ')
    const path = fields[at + 1]
    require(/^(000000|100644|100755)$/.test(mode), `${JSON.stringify(path)} is no file`)
    require(workflows ||
      !/^\.github\/workflows\//i.test(
        path,
      ), `it changes ${JSON.stringify(path)}. Pass \`workflows: true\` and a token that may, or update by hand`)
  }
}

function require(isMet, reason) {
  if (!isMet) throw new Error(`The update is refused: ${reason}.`)
}
