import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { testSettings } from './settings.ts'

/** A new folder, which is deleted when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-backup-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

/** Runs `db:backup` in a process of its own. @param env variables that differ from those of this process */
export async function runBackup(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/commands/backup.ts', ...args], {
    env: { ...process.env, ...testSettings, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const [status] = await once(child, 'close')
  return { status, output }
}
