import { readFile } from 'node:fs/promises'
import { loadEmailTemplates } from '../../src/email/templates.ts'
import { brandVariables } from '../../src/settings/theme.ts'
import { testConfig } from './settings.ts'

const brand = brandVariables(testConfig({}))

/** The templates in emails/, with other values of the brand if given. */
export const emailTemplates = (own: Partial<typeof brand> = {}) => loadEmailTemplates({ ...brand, ...own })

/** A value for each variable of a template, your own templates and translations included. */
export async function valuesOf(name: string, value: (variable: string) => string) {
  const files = [`${name}.html`, `${brand.language}/${name}.html`]
  const texts = files.map((file) =>
    readFile(new URL(`../../emails/${file}`, import.meta.url), 'utf8').catch(() => ''),
  )
  const source = (await Promise.all(texts)).join('')
  const names = [...source.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, variable = '']) => variable)
  return Object.fromEntries(names.filter((each) => !(each in brand)).map((each) => [each, value(each)]))
}
