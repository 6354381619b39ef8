import { stripVTControlCharacters } from 'node:util'
import { fenced } from './conflicts.js'

/** GitHub refuses longer texts. */
const MAX_LENGTH = 60_000

/** The files that a person should look at, with what happened to them. */
const NAMED = {
  merge: 'merged with your changes',
  conflict: 'conflict',
  deleted: 'deleted by you, stays deleted',
  yours: 'no longer generated, yours now',
  kept: 'kept as it is',
}

/** The text of the pull request: the result of the tests, the conflicts, the files, and where to read what is new. */
export function bodyOf({ update, conflicts, failed, tests }) {
  const { files, notes, release } = update
  const parts = [
    `${tests.isPassed ? '✅' : '❌'} \`${tests.command}\` ${tests.isPassed ? 'passed' : 'failed'}.`,
    ...failed.map(({ name, detail }) => `❌ \`${name}\` failed: ${detail}`),
    ...(tests.isPassed ? [] : [details('The end of its output', fenced(plain(tests.output).slice(-8000)))]),
    ...(conflicts.length > 0
      ? [
          `## Conflicts\n\nYour text was kept. Where both you and the new version changed the same lines, a comment has the new ones.\n\n${list(conflicts.map(({ path }) => `\`${path}\``))}`,
        ]
      : []),
    `## Files\n\n${list([...countsOf(files), ...namesOf(files), ...notes])}`,
    ...(release ? [`[What is new from ${release.from} to ${release.to}](${release.changelog})`] : []),
  ]
  return bounded(parts.join('\n\n'))
}

/** A text that the action propose accepts: without colors and control characters, and not too long. */
export const bounded = (text) =>
  text.length > MAX_LENGTH ? `${plain(text.slice(0, MAX_LENGTH))}\n\n…` : plain(text)

const plain = (text) => stripVTControlCharacters(text).replace(/[^\P{C}\n\t]/gu, '')

const list = (items) => items.map((item) => `- ${item}`).join('\n')

const details = (summary, text) => `<details><summary>${summary}</summary>\n\n${text}\n\n</details>`

function countsOf(files) {
  return ['create', 'update', 'delete', 'edited'].flatMap((action) => {
    const count = files.filter((file) => file.action === action).length
    return count > 0 ? [`${action}: ${count}`] : []
  })
}

const namesOf = (files) =>
  files
    .filter(({ action }) => action in NAMED)
    .map(({ path, action, detail, newHome }) => {
      const more = newHome ? `its code is now in \`${newHome}\`` : detail
      return `\`${path}\`: ${NAMED[action]}${more ? ` (${more})` : ''}`
    })
