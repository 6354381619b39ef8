import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { groups } from '../src/config.ts'

const settings = Object.values(groups).flatMap((group) => Object.keys(group.in.shape))

const readProjectFile = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')

test('.env.example lists exactly the settings of the service, each once', async () => {
  const example = await readProjectFile('.env.example')
  const listed = [...example.matchAll(/^(?:# ?)?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(settings.toSorted())
})

test('README.md mentions each setting', async () => {
  const readme = await readProjectFile('README.md')
  expect(settings.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})
