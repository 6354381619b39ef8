import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import mustache from 'mustache'
import { ConfigError } from '../config.ts'

/** The folder of the templates, next to src/ and dist/. */
const emailsFolder = fileURLToPath(new URL('../../emails', import.meta.url))

export interface EmailBody {
  subject: string
  html: string
  text: string
}

export type EmailTemplates = Awaited<ReturnType<typeof loadEmailTemplates>>

interface Template extends EmailBody {
  lang: string
  preview: string
  variables: Set<string>
}

/**
 * Reads all templates of the folder: `name.html` with `{{variable}}` and no other tag. It begins with a comment, which is
 * the text part, inside `layout.txt`. The rest is the HTML, inside `layout.mustache`.
 * @param brand variables of all templates. Files in a folder with the name of its language come first
 * @throws Error that names the file if one is missing, has no subject or has another tag, so that the mistake is found at
 * startup
 */
export async function loadEmailTemplates(
  brand: Record<string, string> & { language: string },
  folder = emailsFolder,
) {
  if (!existsSync(folder)) throw new ConfigError('emails/ is missing: deploy it beside dist/')
  const files = await readdir(folder)
  const names = files.filter((file) => /^\w+\.html$/.test(file)).map((file) => parse(file).name)

  /** The file and its language. */
  const read = async (file: string): Promise<[text: string, lang: string]> =>
    readFile(join(folder, brand.language, file), 'utf8').then(
      (text) => [text, brand.language],
      async () => [await readFile(join(folder, file), 'utf8'), 'en'],
    )

  const [[layout], [textLayout]] = await Promise.all([read('layout.mustache'), read('layout.txt')])
  const known = [...Object.keys(brand), 'subject', 'lang']
  for (const [file, text] of Object.entries({ 'layout.mustache': layout, 'layout.txt': textLayout })) {
    const unknown = variablesOf(file, text, true).find((name) => !known.includes(name))
    if (unknown) throw new Error(`emails/${file}: there is no variable ${unknown}`)
  }

  const templates = new Map<string, Template>()
  for (const name of names) {
    const [source, lang] = await read(`${name}.html`)
    const parts = partsOf(`${name}.html`, source)
    const isOwn = (variable: string) => !(variable in brand)
    // A value of a user in the subject could be read as words of the service.
    const inSubject = variablesOf(`${name}.html`, parts.subject).find(isOwn)
    if (inSubject) throw new Error(`emails/${name}.html: the subject must not have {{${inSubject}}}`)
    const variables = new Set(variablesOf(`${name}.html`, source).filter(isOwn))
    templates.set(name, { ...parts, lang, variables })
  }

  return {
    /** The names of all templates. */
    names,
    /** @throws Error if the template is unknown or needs a variable that is not given */
    render(name: string, given: Record<string, string>): EmailBody {
      const template = templates.get(name)
      if (!template) throw new Error(`There is no template emails/${name}.html`)
      // Mustache would silently leave a gap, such as an email without its link.
      const missing = [...template.variables].filter((variable) => !Object.hasOwn(given, variable))
      if (missing.length > 0) throw new Error(`The template ${name} needs ${missing.join(', ')}`)
      const subject = mustache.render(template.subject, brand, {}, { escape: String })
      const variables = { ...brand, ...given, subject, lang: template.lang }
      const { html, text, preview } = template
      return {
        subject,
        // Every value is escaped, so that user input cannot inject HTML. The template itself is not: it is a partial.
        html: mustache.render(isDocument(html) ? '{{> body}}' : layout, variables, { body: html, preview }),
        text: mustache.render(textLayout, variables, { body: text }, { escape: String }).trimEnd(),
      }
    },
  }
}

/** A template with its own layout. */
const isDocument = (html: string) => /^\s*<!doctype/i.test(html)

/**
 * The parts of a template. The first line of its text is the subject. A first `<p hidden>` of its HTML is what lists of
 * emails show after the subject.
 */
function partsOf(file: string, source: string) {
  const [comment = '', text = ''] = /^\s*<!--(.*?)-->\s*/s.exec(source) ?? []
  const [subject = ''] = text.trim().split(/\s*\n/, 1)
  if (!subject)
    throw new Error(`emails/${file} must begin with a comment, its text part. The first line is the subject`)
  const [hidden = '', preview = ''] = /<p hidden>(.*?)<\/p>\n?/s.exec(source) ?? []
  const html = source.slice(comment.length).replace(hidden, '')
  return { html, text: `${text.trim()}\n`, subject, preview }
}

/** The variables of a template. @throws Error for any other tag: `{{{…}}}` and `{{&…}}` are not escaped */
function variablesOf(file: string, template: string, isLayout = false): string[] {
  const names = (tokens: ReturnType<typeof mustache.parse>): string[] =>
    tokens.flatMap(([type, name, , , inner]) => {
      if (type === 'text' || (isLayout && type === '>' && /^(body|preview)$/.test(name))) return []
      const isSection = isLayout && (type === '#' || type === '^') && Array.isArray(inner)
      if ((type !== 'name' && !isSection) || !/^\w+$/.test(name))
        throw new Error(`emails/${file}: only {{name}} is allowed, not ${name}`)
      return [name, ...(isSection ? names(inner) : [])]
    })
  return names(mustache.parse(template))
}
