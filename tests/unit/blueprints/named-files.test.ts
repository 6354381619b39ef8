import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import type { Files } from '../../../src/system/file-system.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

/** A path with a folder, in a comment. The folder is one of the project, or one of src/. */
const NAMED = /(?:\/\/|\*|#) .*?(?<![\w./-])([a-z][\w-]*\/[\w/-]+\.(?:ts|js|md|html|css))\b/g

/** Files that a comment names, from the project's folder, from src/ or from its own file, and that do not exist. */
function missingFiles(files: Files): string[] {
  return [...files]
    .filter(([path]) => /\.(?:ts|js|css|ya?ml)$/.test(path))
    .flatMap(([path, text]) =>
      [...text.matchAll(NAMED)]
        .map(([, named = '']) => named)
        .filter(
          (named) => ![named, `src/${named}`, join(dirname(path), named)].some((each) => files.has(each)),
        )
        .map((named) => `${path} names ${named}`),
    )
}

describe('a comment of a generated file', () => {
  it.each([...exampleAnswers()])('names only files of its project: %s', (_, answers) => {
    expect(missingFiles(renderOnce(planOf(answers)))).toEqual([])
  })

  it.each([
    ['docs/sessions.md', ['src/a.ts names docs/sessions.md']],
    ['docs/api.md', []],
    ['users/names.ts', []],
    ['https://example.com/a/b.html', []],
  ])('a comment that names %s', (named, expected) => {
    const files = { 'src/a.ts': `// See ${named}.\n`, 'docs/api.md': '', 'src/users/names.ts': '' }
    expect(missingFiles(new Map(Object.entries(files)))).toEqual(expected)
  })
})
