/** How far the copy is: a bar in a terminal, nothing elsewhere, where the table at the end says it all. */
export function createProgress(terminal: NodeJS.WriteStream) {
  const started = Date.now()
  let shown = 0
  return {
    show({ table, done, total }: { table: string; done: number; total: number }): void {
      if (!terminal.isTTY || (Date.now() - shown < 100 && done < total)) return
      shown = Date.now()
      const share = total === 0 ? 1 : done / total
      const bar = '█'.repeat(Math.round(share * 30)).padEnd(30, '░')
      const rate = Math.round((done / Math.max(1, shown - started)) * 1000)
      terminal.write(
        `\r\x1b[K${bar} ${Math.floor(share * 100)} %  ${table}  ${rate.toLocaleString('en')} rows/s`,
      )
    },
    clear(): void {
      if (terminal.isTTY) terminal.write('\r\x1b[K')
    },
  }
}
