import { EXIT, type UserError } from '../system/errors.ts'
import { jsonText } from '../system/json.ts'
import { visible, visibleJson } from '../system/printing.ts'
import type { Output } from '../system/system.ts'

/** Prints the one object of `--json`, with terminal escapes made visible (CWE-150). */
export function printJson(output: Output, value: object): void {
  output.print(visibleJson(jsonText(value)))
}

/** Prints an error as text. */
export function printError(output: Output, message: string): void {
  output.warn(`create-authsmith: ${visible(message)}\n`)
}

/** An error as one object, for `--json`. */
export function jsonError({ code, message }: UserError): object {
  return { ok: false, exitCode: EXIT[code], error: { code, message: visible(message) } }
}
