import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { testSettings } from './settings.ts'

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
