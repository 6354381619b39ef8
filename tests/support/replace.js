/**
 * Replaces texts at once: a port that is put in may contain another that is replaced.
 * @param {string} text
 * @param {Iterable<readonly [string, string]>} values what replaces each text
 */
export function replaceEach(text, values) {
  const by = new Map(values)
  const any = [...by.keys()].map((key) => key.replaceAll(/\W/g, '\\$&')).join('|')
  return by.size > 0 ? text.replaceAll(new RegExp(any, 'g'), (found) => by.get(found) ?? found) : text
}
