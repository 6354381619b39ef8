import { builtinModules } from 'node:module'

export const NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/
export const NAME_MAX_LENGTH = 64

/**
 * Device names, which no Windows file may have, with or without an extension (Microsoft, "Naming Files, Paths, and
 * Namespaces").
 */
const WINDOWS_DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/

/** Names that npm refuses for new packages (validate-npm-package-name), in addition to Node's modules. */
const NPM_RESERVED = ['node_modules', 'favicon.ico']

/**
 * Checks the name of a project.
 * @returns what is wrong with it, as the end of a sentence ("must be …"); undefined if it is valid
 */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if (name.length > NAME_MAX_LENGTH) return `must be at most ${NAME_MAX_LENGTH} characters long`
  if (!NAME.test(name))
    return 'must consist of lower-case letters, digits, ".", "_" and "-", and start and end with a letter or digit'
  if (WINDOWS_DEVICES.test(name)) return 'must not be a Windows device name'
  if (NPM_RESERVED.includes(name)) return 'must not be a name that npm reserves'
  if (builtinModules.includes(name)) return 'must not be the name of a built-in Node.js module'
  return undefined
}

/** The rest of a sentence about an invalid name: an example close to it, if there is one. */
export function nameExample(text: string): string {
  const name = suggestedName(text)
  return name ? `. For example: ${name}` : ''
}

/** The valid name that is closest to another text, such as "my-api" for "My Api"; undefined if there is none. */
export function suggestedName(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._]+/g, '-')
    .slice(0, NAME_MAX_LENGTH)
    .replace(/^[._-]+|[._-]+$/g, '')
  return nameFault(name) ? undefined : name
}
