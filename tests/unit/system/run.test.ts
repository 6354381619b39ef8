import { getEventListeners, once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../../src/system/run.ts'

const node = process.execPath
/** Runs a script of the shell, which starts much faster than Node. `run` itself starts no shell. */
const sh = (script: string, ...args: string[]) => ['sh', ['-c', script, 'sh', ...args]] as const
let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'authsmith-run-'))
})
afterAll(() => rmSync(cwd, { recursive: true }))

const options = () => ({ cwd, signal: new AbortController().signal })

describe('the process runner', () => {
  it('captures both streams, and says whether the program succeeded', async () => {
    const script = 'echo out; echo err >&2; exit $1'
    expect(await run(...sh(script, '0'), options())).toEqual({ ok: true, output: 'out\nerr\n' })
    expect(await run(...sh(script, '3'), options())).toEqual({ ok: false, output: 'out\nerr\n' })
  })

  it('passes arguments as they are: there is no shell to read them', async () => {
    const args = ['$(touch owned)', '`id`', '; rm -rf .', '*', "'", '"', 'a b', '', '${HOME}', '&&', '\n']
    const script = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const { output } = await run(node, ['-e', script, '--', ...args], options())
    expect(JSON.parse(output)).toEqual(args)
  })

  it('gives no input', async () => {
    expect(await run(...sh('cat; echo ended'), options())).toEqual({ ok: true, output: 'ended\n' })
  })

  it('runs in the project, with variables added and taken away', async () => {
    process.env.AUTHSMITH_TEST = 'inherited'
    const script = 'echo "$(pwd) ${AUTHSMITH_TEST-unset} ${ADDED-unset}"'
    const kept = await run(...sh(script), options())
    const changed = await run(...sh(script), {
      ...options(),
      env: { AUTHSMITH_TEST: undefined, ADDED: 'yes' },
    })
    delete process.env.AUTHSMITH_TEST
    expect(kept.output).toBe(`${cwd} inherited unset\n`)
    expect(changed.output).toBe(`${cwd} unset yes\n`)
  })

  it.each(['kill -INT $$', 'exit 130'])(
    'reports a program that Ctrl-C ended as interrupted: %s',
    async (script) => {
      const result = await run(...sh(script), options())
      expect(result).toEqual({ ok: false, interrupted: true, output: '' })
    },
  )

  it('says that a program is missing', async () => {
    expect(await run('authsmith-no-such-program', ['install'], options())).toEqual({
      ok: false,
      missing: true,
      output: 'authsmith-no-such-program is not installed',
    })
  })

  it('says why a program could not start', async () => {
    writeFileSync(join(cwd, 'no-program'), 'text', { mode: 0o600 })
    const result = await run(join(cwd, 'no-program'), [], options())
    expect(result).toEqual({ ok: false, output: expect.stringContaining('EACCES') })
  })

  it('starts no program of the project instead of the one of that name', async () => {
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    writeFileSync(join(cwd, 'node_modules/.bin/authsmith-no-such-program'), '#!/bin/sh\n', { mode: 0o755 })
    expect((await run('authsmith-no-such-program', [], options())).missing).toBe(true)
  })

  it('adds no signal listener of its own, which would end this process before it reports what is left', async () => {
    const count = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')
    const before = count()
    const running = run(...sh('sleep 0.1'), options())
    // By then execa is loaded and the program has started.
    await import('execa')
    await new Promise((resolve) => setImmediate(resolve))
    expect(count()).toBe(before)
    await running
  })

  it('does not start a program after its signal, and leaves no listener behind', async () => {
    const { signal } = new AbortController()
    for (let time = 0; time < 3; time += 1) await run(...sh(':'), { cwd, signal })
    expect(getEventListeners(signal, 'abort')).toEqual([])
    const before = await run(...sh('touch started'), { cwd, signal: AbortSignal.abort() })
    expect(before.ok).toBe(false)
    expect(existsSync(join(cwd, 'started'))).toBe(false)
  })

  it('stops on its signal, even if the program does not', async () => {
    const interruption = new AbortController()
    const script = "process.on('SIGTERM', () => {}); setTimeout(() => {}, 5_000)"
    const running = run(node, ['-e', script], { cwd, signal: interruption.signal })
    const aborted = once(interruption.signal, 'abort')
    setImmediate(() => interruption.abort())
    await aborted
    expect((await running).ok).toBe(false)
  })

  it('does not wait for a grandchild that holds the output open', async () => {
    const interruption = new AbortController()
    const grandchild = "process.on('SIGTERM', () => {}); process.stdin.resume()"
    // It ends with the pipe that only the program holds; the program, unlike it, ends with the signal.
    const script = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(grandchild)}],
      { stdio: ['pipe', 'inherit', 'inherit'] }); require('node:fs').writeFileSync('ready', ''); setInterval(() => {}, 1000)`
    const running = run(node, ['-e', script], { cwd, signal: interruption.signal })
    while (!existsSync(join(cwd, 'ready'))) await new Promise((resolve) => setImmediate(resolve))
    interruption.abort()
    expect(await running).toEqual({ ok: false, output: 'interrupted' })
  })
})
