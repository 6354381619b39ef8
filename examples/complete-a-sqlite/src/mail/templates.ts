import { readdir, readFile } from 'node:fs/promises'
import { parse } from 'node:path'
import { fileURLToPath } from 'node:url'
import mustache from 'mustache'

/** The folder of the templates, next to src/ and dist/. */
const emailsFolder = fileURLToPath(new URL('../../emails', import.meta.url))

export interface MailBody {
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
  variables: Set<string>
}

/**
 * Reads all templates of the folder: pairs of `name.html` and `name.txt` with `{{variable}}` and no other tag.
 * @throws Error that names the file if one is missing or has another tag, so that the mistake is found at startup
 */
export async function loadMailTemplates(folder = emailsFolder): Promise<MailTemplates> {
  const files = (await readdir(folder)).filter((file) => /^\w+\.(?:html|txt)$/.test(file))
  const names = [...new Set(files.map((file) => parse(file).name))]
  const templates = new Map<string, Template>()
  for (const name of names) {
    const html = await readFile(`${folder}/${name}.html`, 'utf8')
    const text = await readFile(`${folder}/${name}.txt`, 'utf8')
    const variables = new Set([...variablesOf(`${name}.html`, html), ...variablesOf(`${name}.txt`, text)])
    templates.set(name, { html, text, variables })
  }

  return {
    names,
    render(name, variables) {
      const template = templates.get(name)
      if (!template) throw new Error(`There is no template emails/${name}.html`)
      // Mustache would silently leave a gap, such as a mail without its link.
      const missing = [...template.variables].filter((variable) => !Object.hasOwn(variables, variable))
      if (missing.length > 0) throw new Error(`The template ${name} needs ${missing.join(', ')}`)
      return {
        // Every value is escaped, so that user input cannot inject HTML.
        html: mustache.render(template.html, variables),
        text: mustache.render(template.text, variables, {}, { escape: String }),
      }
    },
  }
}

/** The variables of a template. @throws Error for any other tag: `{{{…}}}` and `{{&…}}` are not escaped */
function variablesOf(file: string, template: string): string[] {
  return mustache
    .parse(template)
    .filter(([type]) => type !== 'text')
    .map(([type, name]) => {
      if (type !== 'name' || !/^\w+$/.test(name))
        throw new Error(`emails/${file}: only {{name}} is allowed, not ${name}`)
      return name
    })
}
