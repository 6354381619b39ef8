/** @typedef {import('../document.js').Schema} Schema */

/**
 * Compares a value with its schema. A property that the schema does not list is a violation, unless it has a schema for others:
 * what is passed through as another standard defines it.
 * @param {unknown} value
 * @param {Schema} schema
 * @param {string} [at] the place of the value
 * @returns {string[]} one line for each violation
 */
export function violationsOf(value, schema, at = 'body') {
  if (schema.anyOf) {
    const all = schema.anyOf.map((one) => violationsOf(value, one, at))
    return all.some((lines) => lines.length === 0) ? [] : all.flat()
  }
  if (schema.allOf) return violationsOf(value, merged(schema.allOf), at)
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOfType(value, type)))
    return [`${at} is not of type ${types.join(' or ')}`]
  if ('const' in schema && value !== schema.const) return [`${at} is not ${schema.const}`]
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is not one of ${schema.enum}`]
  if (typeof value === 'string') return textViolations(value, schema, at)
  if (typeof value === 'number') return numberViolations(value, schema, at)
  if (Array.isArray(value))
    return value.flatMap((item, n) => (schema.items ? violationsOf(item, schema.items, `${at}[${n}]`) : []))
  if (typeof value === 'object' && value !== null) return objectViolations(value, schema, at)
  return []
}

/** One schema for an object that has to match all of them. @param {Schema[]} schemas @returns {Schema} */
const merged = (schemas) => ({
  type: 'object',
  properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
  required: schemas.flatMap(({ required = [] }) => required),
})

/** @param {unknown} value @param {string} type */
function isOfType(value, type) {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

/** The service counts UTF-16 code units, as its documentation says, and JSON Schema code points. @param {string} text @param {Schema} schema @param {string} at */
function textViolations(text, { maxLength = Number.POSITIVE_INFINITY, pattern }, at) {
  return [
    ...(text.length > maxLength ? [`${at} is longer than ${maxLength}`] : []),
    ...(pattern !== undefined && !new RegExp(pattern, 'u').test(text)
      ? [`${at} is not like ${pattern}`]
      : []),
  ]
}

/** @param {number} number @param {Schema} schema @param {string} at */
function numberViolations(number, { minimum = number, maximum = number }, at) {
  return number < minimum || number > maximum ? [`${at} is not between ${minimum} and ${maximum}`] : []
}

/** @param {Schema['additionalProperties']} others */
const schemaIn = (others) => (typeof others === 'object' ? others : undefined)

/** @param {object} object @param {Schema} schema @param {string} at */
function objectViolations(object, { properties = {}, required = [], additionalProperties: others }, at) {
  const entries = Object.entries(object)
  const names = new Set(entries.map(([name]) => name))
  return [
    ...required.filter((name) => !names.has(name)).map((name) => `${at}.${name} is missing`),
    ...entries.flatMap(([name, value]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : schemaIn(others)
      return schema ? violationsOf(value, schema, `${at}.${name}`) : [`${at}.${name} is not in the schema`]
    }),
  ]
}
