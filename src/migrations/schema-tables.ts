/**
 * The names of the tables that a file of src/db/schema/ defines with `table('users', …`. Includes those in comments.
 */
export function schemaTables(text: string): string[] {
  const definition = /\b(?:table|sqliteTable|pgTable)\(\s*(['"`])([^'"`\n]+)\1/g
  return [...text.matchAll(definition)].map(([, , name = '']) => name)
}
