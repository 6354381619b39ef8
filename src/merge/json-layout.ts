import { type Node, parseTree } from 'jsonc-parser'
import { isObject, type Json } from '../system/json.ts'

/**
 * Prints a value in the layout of a text. What has the same value there stays byte for byte: numbers that JavaScript
 * cannot hold, lists on one line, blank lines.
 * @param text a valid JSON text
 */
export function layOutLike(value: Json, text: string): string {
  const root = parseTree(text)
  const indent = /\n([ \t]+)/.exec(text)?.[1] ?? '  '
  const { offset = 0, length = text.length } = root ?? {}
  return text.slice(0, offset) + print(value, root, '\n') + text.slice(offset + length)

  /** @param newline a line break and the indentation of the line in which the value starts */
  function print(value: Json, node: Node | undefined, newline: string): string {
    const old = node && text.slice(node.offset, node.offset + node.length)
    if (old !== undefined && JSON.stringify(JSON.parse(old)) === JSON.stringify(value)) return old
    if (!isObject(value) || node?.type !== 'object')
      return JSON.stringify(value, null, indent).replaceAll('\n', newline)
    const members = (node.children ?? []).map(partsOf)
    const lines = Object.entries(value).map(([key, each], at) => {
      const member = members.find((one) => one.key === key)
      // A new first key is preceded by what the old first key was, and others by what separates the old ones.
      const { lead } = member ?? members[at === 0 ? 0 : 1] ?? members[0] ?? { lead: newline + indent }
      const { name = JSON.stringify(key), colon = ': ' } = member ?? { colon: members[0]?.colon }
      return lead + name + colon + print(each, member?.value, newline + indent)
    })
    const end = members.length > 0 ? /\s*(?=\}$)/.exec(old ?? '')?.[0] : newline
    return lines.length === 0 ? '{}' : `{${lines.join(',')}${end}}`
  }

  /** A key and its value as they are in the text, with the white space before them. */
  function partsOf({ offset, children: [key, value] = [] }: Node) {
    const end = offset + (key?.length ?? 0)
    return {
      key: key?.value as string,
      value,
      lead: text.slice(text.slice(0, offset).trimEnd().length, offset),
      name: text.slice(offset, end),
      colon: text.slice(end, value?.offset),
    }
  }
}
