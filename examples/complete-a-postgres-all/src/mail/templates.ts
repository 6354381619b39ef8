import { readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import mustache from 'mustache'
import { textOf } from './text-of.ts'

/** The folder of the templates, next to src/ and dist/. */
const emailsFolder = fileURLToPath(new URL('../../emails', import.meta.url))

export interface MailBody {
  subject: string
  html: string
  text: string
}

export interface MailTemplates {
  /** The names of all templates. */
  names: string[]
  /** @throws Error if the template is unknown or needs a variable that is not given */
  render(template: string, variables: Record<string, string>): MailBody
}

interface Template extends MailBody {
  lang: string
  preview: string
  variables: Set<string>
}

/**
 * Reads all templates of the folder: `name.html` with `{{variable}}` and no other tag, inside `layout.mustache`. Its `<h1>`
 * is the subject. The text part is inside `layout.txt`: `name.txt` if it exists in the same language, otherwise the text
 * of the HTML.
 * @param brand variables of all templates. Files in a folder with the name of its language come first
 * @throws Error that names the file if one is missing, has no subject or has another tag, so that the mistake is found at
 * startup
 */
export async function loadMailTemplates(
  brand: Record<string, string> & { language: string },
  folder = emailsFolder,
): Promise<MailTemplates> {
  const files = await readdir(folder)
  const names = files.filter((file) => /^\w+\.html$/.test(file)).map((file) => parse(file).name)

  /** The file and its language. */
  const read = async (file: string): Promise<[text: string, lang: string]> =>
    readFile(join(folder, brand.language, file), 'utf8').then(
      (text) => [text, brand.language],
      async () => [await readFile(join(folder, file), 'utf8'), 'en'],
    )

  const [[layout], [textLayout]] = await Promise.all([read('layout.mustache'), read('layout.txt')])
  const known = [...Object.keys(brand), 'subject', 'preview', 'lang']
  for (const [file, text] of Object.entries({ 'layout.mustache': layout, 'layout.txt': textLayout })) {
    const unknown = variablesOf(file, text, true).find((name) => !known.includes(name))
    if (unknown) throw new Error(`emails/${file}: there is no variable ${unknown}`)
  }

  const templates = new Map<string, Template>()
  for (const name of names) {
    const [source, lang] = await read(`${name}.html`)
    const { html, subject, preview } = partsOf(`${name}.html`, source)
    const [ownText, textLang] = await read(`${name}.txt`).catch(() => [])
    // An English text part does not belong to a translated mail.
    const isOwn = ownText !== undefined && (textLang === lang || textLang === brand.language)
    const text = isOwn ? ownText : textOf(`${name}.html`, html)
    // A value of a user in the subject could be read as words of the service.
    const inSubject = variablesOf(`${name}.html`, subject).find((variable) => !(variable in brand))
    if (inSubject)
      throw new Error(`emails/${name}.html: the <h1> is the subject, and must not have {{${inSubject}}}`)
    const all = [...variablesOf(`${name}.html`, source), ...variablesOf(`${name}.txt`, text)]
    const variables = new Set(all.filter((variable) => !(variable in brand)))
    if (!subject) throw new Error(`emails/${name}.html has no <h1> with text, which is the subject`)
    templates.set(name, { html, text, subject, preview, lang, variables })
  }

  return {
    names,
    render(name, given) {
      const template = templates.get(name)
      if (!template) throw new Error(`There is no template emails/${name}.html`)
      // Mustache would silently leave a gap, such as a mail without its link.
      const missing = [...template.variables].filter((variable) => !Object.hasOwn(given, variable))
      if (missing.length > 0) throw new Error(`The template ${name} needs ${missing.join(', ')}`)
      const inText = (text: string, variables: object) =>
        mustache.render(text, variables, { body: `${template.text}\n` }, { escape: String })
      const subject = inText(template.subject, brand)
      const values = { ...brand, ...given }
      const variables = { ...values, subject, lang: template.lang, preview: inText(template.preview, values) }
      return {
        subject,
        // Every value is escaped, so that user input cannot inject HTML. The template itself is not: it is a partial.
        html: mustache.render(isDocument(template.html) ? '{{> body}}' : layout, variables, {
          body: template.html,
        }),
        text: inText(textLayout, variables).trimEnd(),
      }
    },
  }
}

/** A template with its own layout. */
const isDocument = (html: string) => /^\s*<!doctype/i.test(html)

/** The parts of a template. A first `<p hidden>` is what lists of mails show after the subject. */
function partsOf(file: string, source: string) {
  const [, subject = ''] = /<h1[^>]*>(.*?)<\/h1>/s.exec(source) ?? []
  const [hidden = '', preview = ''] = /<p hidden>(.*?)<\/p>\n?/s.exec(source) ?? []
  return { html: source.replace(hidden, ''), subject: textOf(file, subject), preview: textOf(file, preview) }
}

/** The variables of a template. @throws Error for any other tag: `{{{…}}}` and `{{&…}}` are not escaped */
function variablesOf(file: string, template: string, isLayout = false): string[] {
  const names = (tokens: ReturnType<typeof mustache.parse>): string[] =>
    tokens.flatMap(([type, name, , , inner]) => {
      if (type === 'text' || (isLayout && type === '>' && name === 'body')) return []
      const isSection = isLayout && (type === '#' || type === '^') && Array.isArray(inner)
      if ((type !== 'name' && !isSection) || !/^\w+$/.test(name))
        throw new Error(`emails/${file}: only {{name}} is allowed, not ${name}`)
      return [name, ...(isSection ? names(inner) : [])]
    })
  return names(mustache.parse(template))
}
