import { type ExportFormat, type Fields, whoIs } from './formats.ts'
import { recordsOf } from './records.ts'

/** Reads the file of `--with`, whose records have fields of users in the first file, by their ids. Holds it in memory. */
export async function readSecondFile(file: unknown, format: ExportFormat, named: Set<string>) {
  const others = new Map<string, { line: number; fields: Fields }>()
  const refused: string[] = []
  if (typeof file === 'string')
    for await (const { line, value } of recordsOf(file, format, named)) {
      const { id } = whoIs(format, value)
      if (typeof value !== 'string' && id !== undefined && !others.has(id))
        others.set(id, { line, fields: value })
      else
        refused.push(
          `Line ${line} of the second file: ${typeof value === 'string' ? value : 'No id, or one twice'}`,
        )
    }
  return {
    /** A record with the fields that only the second file has. */
    join(fields: Fields): Fields {
      const { id = '' } = whoIs(format, fields)
      const other = others.get(id)?.fields
      others.delete(id)
      return { ...other, ...fields }
    },
    /** What became of no user, a line for each. */
    rest: (): string[] => [
      ...refused,
      ...Array.from(
        others,
        ([id, { line }]) => `Line ${line} of the second file: Not in the first one (${id})`,
      ),
    ],
  }
}
