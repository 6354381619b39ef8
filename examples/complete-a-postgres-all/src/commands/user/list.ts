import { z } from 'zod'
import { urlNumber } from '../../schemas/url.ts'
import { toUserResponse } from '../../schemas/user.ts'
import { listUsers } from '../../users/list.ts'
import { checked, type UserCommand } from '../user-commands.ts'

const page = z.object({
  search: z.string().optional(),
  after: urlNumber({ min: 0 }).default(0),
  limit: urlNumber().default(100),
  json: z.boolean().default(false),
})

export default {
  arguments: [],
  options: {
    search: { type: 'string' },
    after: { type: 'string' },
    limit: { type: 'string' },
    json: { type: 'boolean' },
  },
  summary: 'list users by id; 100 unless --limit says otherwise',
  async run({ db, options }) {
    const { json, ...range } = checked(page, options)
    const found = await listUsers(db, range)
    const rows = found.map((user) => ({
      ...toUserResponse(user),
    }))
    if (json) return rows.map((row) => JSON.stringify(row)).join('\n')
    const [first] = rows
    if (!first) return 'No users.'
    const lines = table([Object.keys(first), ...rows.map((row) => Object.values(row).map(String))])
    if (rows.length === range.limit) lines.push(`Next page: --after ${rows.at(-1)?.id}`)
    return lines.join('\n')
  },
} satisfies UserCommand

/** Aligns the columns. */
function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const align = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(align).join('  ').trimEnd())
}
