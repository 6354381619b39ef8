import { expect } from 'vitest'
import type { Outcome } from '../../support/fixtures.ts'

/** An error: one line without control, format or broken characters. */
export const ONE_LINE = /^create-authsmith: [^\p{Cc}\p{Cf}\p{Cs}]+\n$/u

/** The only thing that `--json` prints. */
export function jsonOf({ stdout, stderr, exitCode }: Outcome) {
  const value = JSON.parse(stdout)
  expect(stdout).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Cs}]/u)
  expect(value).toMatchObject({ ok: exitCode === 0, exitCode })
  expect(stderr).not.toContain('create-authsmith:')
  return value
}
