import { isDeepStrictEqual } from 'node:util'
import { isObject, type JsonObject, jsonText, sortedByKey } from '../system/json.ts'

const SORTED = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']

/**
 * Joins the layers' fragments of package.json: objects by key, in the order of the fragments, with dependencies sorted
 * as package managers do.
 * @param name the project's name, which overrides that of any fragment
 * @throws Error if two fragments set different values: the order of layers must not decide silently
 */
export function joinPackageJson(name: string, fragments: readonly string[]): string {
  const joined = fragments
    .map((fragment) => JSON.parse(fragment) as JsonObject)
    .reduce((a, b) => join(a, b, ''), {})
  for (const key of SORTED) {
    const dependencies = joined[key]
    if (isObject(dependencies)) joined[key] = sortedByKey(dependencies)
  }
  return jsonText(Object.assign({ name }, joined, { name }))
}

function join(base: JsonObject, addition: JsonObject, at: string): JsonObject {
  const joined = { ...base }
  for (const [key, value] of Object.entries(addition)) {
    const present = joined[key]
    if (isObject(present) && isObject(value)) joined[key] = join(present, value, `${at}${key}.`)
    else if (present === undefined || isDeepStrictEqual(present, value)) joined[key] = value
    else throw new Error(`package.json: two layers set ${at}${key}`)
  }
  return joined
}
