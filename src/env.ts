import { randomBytes } from 'node:crypto'

const PLACEHOLDER = /^([A-Z][A-Z0-9_]*=)change-me.*$/gm
const SECRET_BYTES = 32

/**
 * The project's `.env`: its `.env.example` with a secret of 256 random bits (base64url) in the place of each
 * placeholder. A fresh one each, so that no two projects and no two settings share a secret.
 */
export function envWithSecrets(example: string, random: (bytes: number) => Buffer = randomBytes): string {
  return example.replace(
    PLACEHOLDER,
    (_, setting: string) => setting + random(SECRET_BYTES).toString('base64url'),
  )
}
