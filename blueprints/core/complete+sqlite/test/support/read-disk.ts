import { readFile } from 'node:fs/promises'
import type { Config } from '../../src/config.ts'

/** Everything that the database of an app has on disk, as latin1: what an attacker with a copy could search. */
export async function readDisk({ config }: { config: Config }): Promise<string> {
  const { file } = config.database
  const parts = await Promise.all([readFile(file), readFile(`${file}-wal`)])
  return Buffer.concat(parts).toString('latin1')
}
