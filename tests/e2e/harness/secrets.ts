import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, clientOf } from './client.ts'

/** Fields of requests and responses whose values give access to an account. */
const SECRET_FIELDS = [
  'password',
  'current_password',
  'new_password',
  'token',
  'access_token',
  'refresh_token',
]

/** Collects all secrets of a test. None of them may be in a database or a log. */
export interface Secrets {
  /** Adds a secret from a mail: a token, code or link. */
  add(secret: string): void
  /** Adds every secret in a request or response, at any depth. */
  note(value: unknown): void
  /** Returns the secrets that a text or the bytes of a file contain. */
  in(content: string | Buffer): string[]
}

export function createSecrets(): Secrets {
  const all = new Set<string>()
  const add = (secret: string) => {
    // Shorter strings occur by chance.
    if (secret.length < 7) return
    all.add(secret)
    // A code may be written without hyphens or in lower case.
    if (/^\w{4}(-\w{4}){3}$/.test(secret)) {
      all.add(secret.replaceAll('-', ''))
      all.add(secret.toLowerCase())
    }
  }
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'string' && SECRET_FIELDS.includes(name)) add(member)
      else note(member)
    }
  }
  return {
    add,
    note,
    in: (content) => [...all].filter((secret) => content.includes(secret)),
  }
}

/** Wraps a service to collect every secret in its requests and responses. */
export function noteSecrets<Noted extends Client>(service: Noted, { note }: Secrets): Noted {
  const send: Client['send'] = async (method, path, options) => {
    note(options?.body)
    const answer = await service.send(method, path, options)
    note(answer.body)
    return answer
  }
  return { ...service, ...clientOf(service.url, send) }
}

/** All bytes of the files in a folder, such as a database with its journal. */
export function bytesBelow(folder: string): Buffer {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  )
  return Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))))
}
