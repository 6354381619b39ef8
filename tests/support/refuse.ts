/** Ends a command of the developers with one line. */
export function refuse(message: string): never {
  console.error(message)
  process.exit(1)
}
