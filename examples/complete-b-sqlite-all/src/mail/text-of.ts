const entities: Partial<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

/**
 * The text of a mail template in HTML: a paragraph for each block, links with their address, codes indented. Only for
 * templates: variables are filled in later, so nothing that a user wrote is read as HTML.
 * @param file named in errors
 * @throws Error for a named character that is not known here
 */
export function textOf(file: string, html: string): string {
  return html
    .replaceAll(/<head>.*?<\/head>|<style.*?<\/style>|<!--.*?-->/gis, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, (_link, url: string, label: string) => {
      if (label === url) return url
      // A button with the same link in plain text next to it.
      return html.includes(`>${url}</a>`) ? '' : `${label}: ${url}`
    })
    .replaceAll(/<br[^>]*>\s*/g, '\n')
    .split(/<\/(?:p|h\d|div|li|tr|td|ul|ol|table)>/)
    .map((block) => (/<\w+ class="code"/.test(block) ? '    ' : '') + plain(file, block))
    .filter((block) => block.trim() !== '')
    .join('\n\n')
}

const plain = (file: string, html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .trim()
    .replaceAll(/&(?:#(x?)([\da-f]+)|(\w+));/gi, (entity, hex: string, code: string, name: string) => {
      const character = code ? String.fromCodePoint(Number.parseInt(code, hex ? 16 : 10)) : entities[name]
      if (character === undefined)
        throw new Error(`emails/${file}: write the character itself, not ${entity}`)
      return character
    })
