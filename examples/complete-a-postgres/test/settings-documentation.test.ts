import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { groups, loadConfig } from '../src/config.ts'
import { testSettings } from './settings.ts'

const settings = Object.values(groups).flatMap((group) => Object.keys(group.in.shape))

const readProjectFile = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')

test('.env.example lists exactly the settings of the service, each once', async () => {
  const example = await readProjectFile('.env.example')
  const listed = [...example.matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name)
  expect(listed.toSorted()).toEqual(settings.toSorted())
})

test('.env.example shows the defaults', async () => {
  const example = parseEnv(await readProjectFile('.env.example'))
  const secrets = Object.fromEntries(
    Object.entries(testSettings).filter(([name]) => example[name]?.startsWith('change-me')),
  )
  expect(loadConfig({ ...example, ...secrets })).toEqual(loadConfig(secrets))
})

test('README.md mentions each setting', async () => {
  const readme = await readProjectFile('README.md')
  expect(settings.filter((name) => !readme.includes(`\`${name}\``))).toEqual([])
})
