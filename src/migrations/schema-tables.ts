/**
 * The names of the tables that a file of src/db/schema/ defines: `table('users', …`, by whichever name of Drizzle's. What is
 * in a comment counts too.
 */
export function schemaTables(text: string): string[] {
  const definition = /\b(?:table|sqliteTable|pgTable)\(\s*(['"`])([^'"`\n]+)\1/g
  return [...text.matchAll(definition)].map(([, , name = '']) => name)
}
