import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { testSettings } from './settings.ts'

/** The folder of the project. */
export const root = join(import.meta.dirname, '../..')
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** Starts src/server.ts in a process of its own, with these settings. */
export function startProcess(settings: Record<string, string>, cwd = root, project = root) {
  const child = spawn(process.execPath, ['--import', tsx, join(project, 'src/server.ts')], {
    cwd,
    env: { ...process.env, ...settings },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  const closed = once(child, 'close').then(([code]) => ({ code, output }))
  return {
    closed,
    stop: () => {
      child.kill('SIGTERM')
      return closed
    },
    /** Resolves when the log matches. */
    async logged(pattern: RegExp): Promise<RegExpExecArray> {
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        if (child.exitCode !== null) throw new Error(output)
        await Promise.race([once(child.stdout, 'data'), closed])
      }
    },
  }
}

/** Makes a process print the CommonJS files that it has loaded, when it ends. */
const printFiles = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module'
  const { cache } = createRequire(process.execPath)
  process.on('exit', () => console.log(Object.keys(cache).join('\\n').replaceAll('\\\\', '/')))
`)}`

/** The paths of the CommonJS files that the service loads in production, if only what it needs to start is set. */
export async function loadedFiles(databaseUrl: string): Promise<string> {
  const service = startProcess({
    ...testSettings,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
    NODE_OPTIONS: `--import ${printFiles}`,
  })
  await service.logged(/"migrated":[1-9]/)
  return (await service.stop()).output
}
