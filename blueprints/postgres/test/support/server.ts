/** The server for the tests. Without one, they run on PGlite, which is PostgreSQL in the memory of this process. */
export const testServer = process.env.TEST_DATABASE_URL

/** The URL of a database with another default of a parameter, such as a role or a database can have. */
export function withParameter(url: string, name: string, value: string): string {
  const changed = new URL(url)
  const options = changed.searchParams.get('options') ?? ''
  changed.searchParams.set('options', `${options} -c ${name}=${value.replaceAll(' ', '\\ ')}`.trim())
  return changed.href
}
