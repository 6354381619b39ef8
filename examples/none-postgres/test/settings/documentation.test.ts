import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import * as groups from '../../src/settings/index.ts'
import { isSameEntry, paragraph, row, settingEntries } from './entries.ts'

const folder = 'src/settings'
const files = (await readdir(folder)).filter((name) => name.endsWith('.ts'))
const sources = files.map((name) => readFile(`${folder}/${name}`, 'utf8'))
const entries = settingEntries(groups, (await Promise.all(sources)).join('\n'))

// The script settings runs these tests with --update, which writes the files.
test.each([
  { file: '.env.example', kind: 'paragraph', pattern: paragraph, gap: '\n' },
  { file: 'docs/settings.md', kind: 'row', pattern: row, gap: '' },
] as const)('$file is as the script settings writes it', async ({ file, kind, pattern, gap }) => {
  const missing = new Map(entries.map((entry) => [entry.name, entry[kind]]))
  // Git may check files out with CR LF, which Vitest ignores.
  const text = (await readFile(file, 'utf8'))
    .replaceAll('\r\n', '\n')
    .replace(pattern, (old: string, name: string) => {
      const entry = missing.get(name) ?? ''
      missing.delete(name)
      return isSameEntry(old, entry) ? old : entry
    })
  const added = [...missing.values()].map((entry) => gap + entry)
  await expect(text + added.join('')).toMatchFileSnapshot(`../../${file}`)
})
