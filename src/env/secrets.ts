import { randomBytes } from 'node:crypto'

const PLACEHOLDER = /^([A-Z][A-Z0-9_]*=)change-me.*$/gm
const SECRET_BYTES = 32

/**
 * Creates `.env` from `.env.example`: replaces each placeholder with its own secret of 256 random bits (base64url), so
 * that no two projects or settings share a secret.
 */
export const envWithSecrets = (example: string, random: (bytes: number) => Buffer = randomBytes): string =>
  example.replace(PLACEHOLDER, (_, setting: string) => setting + random(SECRET_BYTES).toString('base64url'))
