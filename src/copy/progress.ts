import { visible } from '../system/printing.ts'
import type { System } from '../system/system.ts'

/** Shows the progress of the copy as a bar in a terminal. Prints nothing elsewhere. */
export function createProgress({ hasTerminal, now, warn }: System) {
  const started = now()
  let shown = 0
  return {
    show({ table, done, total }: { table: string; done: number; total: number }): void {
      if (!hasTerminal || (now() - shown < 100 && done < total)) return
      shown = now()
      const share = total === 0 ? 1 : done / total
      const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░')
      const rate = Math.round((done / Math.max(1, shown - started)) * 1000)
      const text = `${bar} ${Math.floor(share * 100)} %  ${visible(table)}  ${rate.toLocaleString('en')} rows/s`
      warn(`\r\x1b[K${text}`)
    },
    clear(): void {
      if (hasTerminal) warn('\r\x1b[K')
    },
  }
}
