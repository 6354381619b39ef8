import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const HOME = 'src/system/command.ts'
// Its recipe for Renovate reads the npm registry, and says that it needs a release.
const OF_RELEASES = 'docs/fleet.md'

const FROM_REGISTRY =
  /\b(?:npx|npm exec|(?:pnpm|yarn) dlx|bunx|bun x)\b[^\n`]*authsmith|\b(?:npm|pnpm|yarn|bun) (?:create|init)\b[^\n`]*authsmith|authsmith@latest/

/** In comments of code the bare name is prose. */
const WITH_COMMAND =
  /^(?! *(?:\/\/|\/?\*)).*\bcreate-authsmith`? ?(?:regenerate|add|remove|status|audit|copy-data)\b/m

function* textsOf(...places: string[]): Generator<[path: string, text: string]> {
  for (const place of places) {
    if (/\.\w+$/.test(place)) yield [place, readFileSync(join(ROOT, place), 'utf8')]
    else
      for (const entry of readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name).slice(ROOT.length + 1)
        if (entry.isFile() && !/\.(png|svg)$/.test(path)) yield [path, readFileSync(join(ROOT, path), 'utf8')]
      }
  }
}

const spelledIn = (pattern: RegExp, ...places: string[]) =>
  [...textsOf(...places)].filter(([, text]) => pattern.test(text)).map(([path]) => path)

// Before the first release the name is free on npm: whoever registers it would be run by a reader of these lines (CWE-1357).
test('nothing tells a user to run the generator from a registry', () => {
  expect(spelledIn(FROM_REGISTRY, 'src', 'blueprints', 'docs', 'README.md', 'examples')).toEqual([
    OF_RELEASES,
  ])
  expect(readFileSync(join(ROOT, OF_RELEASES), 'utf8')).toMatch(/From the first release on/)
})

test('one place holds the command that reports and generated files print', () => {
  expect(spelledIn(/COMMAND = /, 'src').filter((path) => path === HOME)).toEqual([HOME])
  expect(spelledIn(WITH_COMMAND, 'src', 'blueprints')).toEqual([])
})
