import { hash } from 'node:crypto'
import type { CopiedColumn, CopiedValue } from './database.ts'
import { comparable } from './values.ts'

/** Counts rows and adds up 128 bits of each row's SHA-256, so that their order does not matter. */
export class Checksum {
  rows = 0
  private sum = 0n

  /** @throws ValueError if a value is not of its column's kind */
  add(columns: CopiedColumn[], row: CopiedValue[]): void {
    const values = columns.map(({ kind }, index) => {
      const value = row[index] ?? null
      return value === null ? null : comparable(kind, value)
    })
    this.rows += 1
    this.sum += BigInt(`0x${hash('sha256', JSON.stringify(values)).slice(0, 32)}`)
  }

  toString(): string {
    return BigInt.asUintN(128, this.sum).toString(16).padStart(32, '0')
  }
}
