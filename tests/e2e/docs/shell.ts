import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandOptions, type Running, start } from '../../support/command.ts'
import { parseResponse, type Response } from './response.ts'

/** A shell session: later blocks see the variables that earlier blocks set. */
export interface Shell {
  /** Runs a block, which must succeed. @returns the responses of its curl commands, in order */
  run(script: string): Promise<Response[]>
  stop(): Promise<void>
}

/** Wraps curl to store each response for the test. */
const CURL = `curl() {
  local answer="$ANSWERS/$(ls "$ANSWERS" | wc -l)"
  mkdir "$answer"
  : > "$answer/body"
  command curl --max-time 600 --dump-header "$answer/head" --output "$answer/body" "$@"
  cat "$answer/body"
}`

/** Starts a shell session. @param folder an empty folder for scripts and responses */
export function startShell(folder: string, options: Omit<CommandOptions, 'input'>): Shell {
  const running: Running = start('bash', ['--norc'], { ...options, input: 'open' })
  let count = 0
  // Each block has an empty stdin, so that its commands cannot read the following blocks.
  const source = async (script: string) => {
    count += 1
    const file = join(folder, `${count}.sh`)
    writeFileSync(file, script)
    running.child.stdin.write(`source '${file}' </dev/null\nprintf "\\nblock ${count} is done\\n"\n`)
    await running.until(new RegExp(`^block ${count} is done$`, 'm')).catch((error: Error) => {
      throw new Error(`${script}\n${error.message}`)
    })
  }
  const ready = source(`set -eo pipefail\n${CURL}\n`)
  return {
    async run(script) {
      await ready
      const answers = join(folder, `answers-${count}`)
      mkdirSync(answers)
      await source(`ANSWERS='${answers}'\n${script}`)
      return readdirSync(answers)
        .sort((a, b) => Number(a) - Number(b))
        .map((name) => {
          const read = (part: string) => readFileSync(join(answers, name, part), 'utf8')
          return parseResponse(`${read('head').trim()}\n\n${read('body')}`)
        })
    },
    async stop() {
      running.child.stdin.end()
      await running.ended
    },
  }
}
