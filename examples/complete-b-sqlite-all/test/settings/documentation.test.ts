import { readdir, readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import * as groups from '../../src/settings/index.ts'
import { testSettings } from '../support/settings.ts'

const settings = Object.values(groups).flatMap((group) => Object.keys(group.in.shape))

const readProjectFile = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')

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

test('docs/ lists exactly the settings of the service, each once, with its default', async () => {
  const names = await readdir(new URL('../../docs/', import.meta.url))
  const pages = await Promise.all(names.map((name) => readProjectFile(`docs/${name}`)))
  const rows = [...pages.join('\n').matchAll(/^\| `([A-Z][A-Z0-9_]*)` \| (.*?) \|/gm)]
  expect(rows.map(([, name]) => name).toSorted()).toEqual(settings.toSorted())

  const example = parseEnv(await readProjectFile('.env.example'))
  const shown = rows.filter(([, name = '']) => example[name] && !example[name].startsWith('change-me'))
  expect(Object.fromEntries(shown.map(([, name, value]) => [name, value?.replaceAll('`', '')]))).toEqual(
    Object.fromEntries(shown.map(([, name = '']) => [name, example[name]])),
  )
})
