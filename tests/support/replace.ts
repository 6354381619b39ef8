/**
 * Replaces texts at once: a port that is put in may contain another that is replaced.
 * @param values what replaces each text
 */
export function replaceEach(text: string, values: Iterable<readonly [string, string]>): string {
  const by = new Map(values)
  const any = [...by.keys()].map((key) => key.replaceAll('.', '\\.')).join('|')
  return text.replaceAll(new RegExp(any, 'g'), (found) => by.get(found) ?? found)
}
