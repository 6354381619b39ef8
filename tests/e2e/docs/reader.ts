import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { type Service, startService } from '../harness/service.ts'
import { applyDiff, type Block } from './blocks.ts'
import { expectResponse, parseResponse, type Response } from './response.ts'
import { startShell } from './shell.ts'

/** The last line of a block that starts the service and stays in the foreground. */
const SERVES = /^(.* )?(npm run dev|npm start|node dist\/server\.js)$/

export interface ReaderOptions {
  /** The project's directory. */
  cwd: string
  /** A free port, used in place of localhost:3000. */
  port: number
  /** A new folder outside the project. */
  folder: string
  env: Record<string, string>
  /** The test files that `npm run test` runs; all if it is empty. */
  tests: readonly string[]
}

export interface Reader {
  /** Executes the blocks of a page in order. */
  follow(blocks: readonly Block[]): Promise<void>
  stop(): Promise<void>
}

/** Executes the blocks of the pages as a reader would who pastes them in order. */
export function createReader({ cwd, port, folder, env: given, tests }: ReaderOptions): Reader {
  // As in the reader's terminal: the script dev must set development.
  const env = { ...given, NODE_ENV: '' }
  const shell = startShell(folder, { cwd, env })
  let service: Service | undefined

  // What the script dev runs, without its watcher and its colors, which take half of the time.
  const start = async (command: [string, ...string[]] = ['node_modules/.bin/tsx', 'dev/server.ts']) => {
    const settings = { ...env, PORT: String(port) }
    service ??= await startService({ cwd, env: settings, command })
  }
  // Stopped before files change, because a watcher that gets the signal during a restart may never exit.
  const stop = async () => {
    await service?.stop()
    service = undefined
  }

  /** Runs the commands of a block; the last one may start the service. */
  async function run({ place, text: written }: Block): Promise<Response[]> {
    const text = written.replace(/^npm run test$/m, ['npm run test --', ...tests].join(' '))
    const lines = text.trimEnd().split('\n')
    const last = lines.at(-1) ?? ''
    await (text.includes('localhost:3000') ? start() : stop())
    if (!SERVES.test(last)) return shell.run(text.replaceAll('localhost:3000', `127.0.0.1:${port}`))
    await shell.run(lines.slice(0, -1).join('\n'))
    if (last === 'npm run dev') await start(['npm', 'run', 'dev'])
    else await startOnce(last, place)
    return []
  }

  /** Starts the service with the page's command on free ports, and stops it when it is ready. */
  async function startOnce(line: string, place: string): Promise<void> {
    const command = ['bash', '-c', line.replace(/PORT=\d+/, 'PORT=0')] as const
    const started = await startService({ cwd, env, command: [...command] })
    expect((await started.get('/health/ready')).status, place).toBe(200)
    await started.stop()
  }

  async function write({ file = '', language, text }: Block): Promise<void> {
    await stop()
    const path = join(cwd, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, language === 'diff' ? applyDiff(readFileSync(path, 'utf8'), text) : text)
  }

  return {
    async follow(blocks) {
      for (const [index, block] of blocks.entries()) {
        const { place, language, file } = block
        if (block.notRun) continue
        if (file) await write(block)
        else if (language === 'sh') {
          const responses = await run(block)
          const next = blocks[index + 1]
          if (next?.language === 'http') {
            const last = responses.pop()
            if (!last) throw new Error(`${next.place}: response block without a request before it`)
            expectResponse(last, parseResponse(next.text), next.place)
          }
          for (const { status, body } of responses) expect(status, `${place}: ${body}`).toBeLessThan(300)
        } else if (language !== 'http' || blocks[index - 1]?.language !== 'sh')
          throw new Error(
            `${place}: block without a file; add its path before it, or <!-- not run: reason -->`,
          )
      }
    },
    async stop() {
      await stop()
      await shell.stop()
    },
  }
}
