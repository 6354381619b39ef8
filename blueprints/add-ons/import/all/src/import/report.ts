import { escaped } from './csv.ts'
import type { Outcome } from './import-users.ts'
import type { FileRecord } from './records.ts'

/** Without control characters, and those that change the direction of a text: a file could rewrite what the terminal shows. */
export const printable = (text: string): string =>
  `${text.slice(0, 300)}${text.length > 300 ? '…' : ''}`.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD')

interface Span {
  from: number
  to: number
  /** Why its records were not created. */
  reasons: string[]
  who: string[]
  /** The number of the record after it. */
  next: number
}

/** What became of the records of a file. Each that was not created is named. */
export function createReport(unusual: ReadonlySet<string>) {
  const counts: Record<Outcome['status'], number> = { created: 0, existed: 0, refused: 0 }
  const notes = new Map<string, number>()
  const spans: Span[] = []
  let records = 0

  return {
    counts,
    note: (what: string) => void notes.set(what, (notes.get(what) ?? 0) + 1),
    /** @param named the id and email of the record. Consecutive ones that existed are named together */
    add(
      { line, last = line, value }: FileRecord,
      status: Outcome['status'],
      reasons: string[],
      named: object,
    ) {
      const who: string[] = Object.values(named)
      records += 1
      counts[status] += 1
      if (status === 'created') return
      const before = spans.at(-1)
      const isSame = before?.next === records && before.reasons.join() === reasons.join()
      if (before && isSame && (status === 'existed' || value === escaped))
        Object.assign(before, { to: last, who: [], next: records + 1 })
      else spans.push({ from: line, to: last, reasons, who, next: records + 1 })
    },
    /** @param others lines of another file */
    text(isDryRun: boolean, others: string[]): string {
      const { created, existed, refused } = counts
      const lines = spans.flatMap(({ from, to, reasons, who }) => {
        const name = who.length > 0 ? ` (${printable(who.join(', '))})` : ''
        const where = from === to ? `Line ${from}` : `Lines ${from} to ${to}`
        return reasons.map((reason) => `${where}: ${printable(reason)}${name}`)
      })
      if (unusual.size > 0) lines.unshift(`Unusual in this file: ${[...unusual].join('; ')}.`)
      lines.push(
        ...others.map(printable),
        `${isDryRun ? 'Would import' : 'Imported'} ${created} users. ${existed} existed already.` +
          (refused > 0 ? ` Refused ${refused}, see the lines above.` : ''),
      )
      const superusers = notes.get('superuser')
      if (superusers) lines.push(`${superusers} were superusers elsewhere, and are none here.`)
      notes.delete('superuser')
      const had = Array.from(notes, ([what, count]) => `${count} ${what}`)
      if (had.length > 0) lines.push(`Of the records, ${had.join(', ')}: see docs/import.md.`)
      return lines.join('\n')
    },
  }
}
