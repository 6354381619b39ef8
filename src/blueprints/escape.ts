import { basename, extname } from 'node:path/posix'
import { visible, visibleJson } from '../system/printing.ts'

/** Escapes a value for one file format, so that it cannot end its string or its line (CWE-94). */
export type Escaper = (value: string) => string

const CONTROL = /\p{Cc}/u

const jsonContent: Escaper = (value) => visibleJson(JSON.stringify(value).slice(1, -1))

// TypeScript and double-quoted YAML strings support the escapes of JSON (YAML 1.2, section 1.3).
const typescript: Escaper = (value) => jsonContent(value).replaceAll("'", String.raw`\'`)

const markdown: Escaper = (value) => oneLine(value).replace(/[\\`*[\]<>|]/g, String.raw`\$&`)

const html: Escaper = (value) => oneLine(value).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const unquoted: Escaper = (value) => {
  if (/["'`$\\]/.test(value)) throw new Error(`cannot be written unquoted: ${visible(value)}`)
  return oneLine(value)
}

const formats = new Map<string, Escaper>([
  ['.ts', typescript],
  ['.js', typescript],
  ['.cjs', typescript],
  ['.json', jsonContent],
  ['.yaml', jsonContent],
  ['.yml', jsonContent],
  ['.md', markdown],
  ['.html', html],
  ['.env.example', unquoted],
  ['Dockerfile', unquoted],
])

/** The escaper for the format of `path`. @throws Error for an unknown format */
export function escaperFor(path: string): Escaper {
  const escaper = formats.get(basename(path)) ?? formats.get(extname(path))
  if (!escaper) throw new Error(`${path}: templates of this format have no escaper`)
  return escaper
}

function oneLine(value: string): string {
  if (CONTROL.test(value)) throw new Error(`contains a control character: ${visible(value)}`)
  return value
}
