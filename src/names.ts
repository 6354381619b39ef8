import { builtinModules } from 'node:module'

export const NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/
export const NAME_MAX_LENGTH = 64

/**
 * Device names of Windows: such a file cannot be made there, with or without an extension
 * (Microsoft, "Naming Files, Paths, and Namespaces").
 */
const WINDOWS_DEVICES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/

/** Names that npm refuses to new packages (validate-npm-package-name), beside Node's own modules. */
const NPM_RESERVED = ['node_modules', 'favicon.ico']

/** Why `name` cannot be a project's name, as the end of a sentence ("must be …"); undefined where it can. */
export function nameFault(name: string): string | undefined {
  if (name === '') return 'must not be empty'
  if (name.length > NAME_MAX_LENGTH) return `must be at most ${NAME_MAX_LENGTH} characters long`
  if (!NAME.test(name))
    return 'must be lower-case letters, digits, ".", "_" and "-", with a letter or digit first and last'
  if (WINDOWS_DEVICES.test(name)) return 'must not be a device name of Windows'
  if (NPM_RESERVED.includes(name)) return 'must not be a name that npm reserves'
  if (builtinModules.includes(name)) return "must not be the name of one of Node's own modules"
  return undefined
}
