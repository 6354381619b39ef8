// Covers src/update/journal/lock.ts with real processes.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STALE_LOCKS } from '../support/stale-locks.ts'

/**
 * Tries to take the lock once per round, when the round's file appears. The holder creates a file exclusively, which
 * fails for a second holder.
 */
const RACER = `
import fs from 'node:fs'
import { join } from 'node:path'
import { withLock } from LOCK
const isAlive = (pid) => {
  try { return process.kill(pid, 0) } catch (error) { return error.code === 'EPERM' }
}
const system = { fs, pid: process.pid, isAlive }
process.on('message', ({ project, go }) => {
  process.send('ready')
  while (!fs.existsSync(go));
  try {
    withLock(system, project, () => {
      const inside = join(project, 'inside')
      fs.writeFileSync(inside, '', { flag: 'wx' })
      for (const end = performance.now() + 2 * Math.random(); performance.now() < end;);
      fs.rmSync(inside)
    })
    process.send('held')
  } catch (error) {
    process.send(error.code === 'refused' ? 'refused' : String(error))
  }
})
`

describe('processes that race for the lock', () => {
  let folder: string
  beforeAll(async () => {
    folder = fs.mkdtempSync(join(tmpdir(), 'authsmith-lock-'))
    const contents = RACER.replace('LOCK', JSON.stringify(join(process.cwd(), 'src/update/journal/lock.ts')))
    await build({
      stdin: { contents, resolveDir: process.cwd() },
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      banner: {
        js: "import { createRequire as $$r } from 'node:module'; const require = $$r(import.meta.url)",
      },
      outfile: join(folder, 'racer.mjs'),
    })
  })
  afterAll(() => fs.rmSync(folder, { recursive: true }))

  /** The result of each process in one round. */
  async function race(racers: readonly ChildProcess[], round: string, stale: string | undefined) {
    const project = join(folder, round)
    fs.mkdirSync(join(project, '.authsmith'), { recursive: true })
    if (stale !== undefined) fs.writeFileSync(join(project, '.authsmith/lock'), stale)
    const go = join(project, 'go')
    const said = () => Promise.all(racers.map(async (racer) => (await once(racer, 'message'))[0]))
    const ready = said()
    for (const racer of racers) racer.send({ project, go })
    await ready
    const ended = said()
    fs.writeFileSync(go, '')
    const results: string[] = await ended
    return { results, left: fs.readdirSync(join(project, '.authsmith')) }
  }

  // On a busy machine there are fewer rounds, but at least three.
  it.each([
    [2, 140],
    [10, 28],
  ])('exactly one holds it at a time: %i processes, up to %i rounds of each kind', async (count, most) => {
    const racers = Array.from({ length: count }, () => fork(join(folder, 'racer.mjs'), { stdio: 'inherit' }))
    const end = performance.now() + 15_000
    try {
      for (let round = 0; round < most && (round < 3 || performance.now() < end); round += 1) {
        for (const [kind, stale] of Object.entries(STALE_LOCKS)) {
          const { results, left } = await race(racers, `${count} ${kind} ${round}`, stale)
          expect(results, kind).toContain('held')
          expect(new Set([...results, 'held', 'refused']), kind).toEqual(new Set(['held', 'refused']))
          expect(left, kind).toEqual([])
        }
      }
    } finally {
      for (const racer of racers) racer.kill()
    }
  })
})
