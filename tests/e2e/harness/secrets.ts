import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, clientOf } from './client.ts'

/** Names of members, in requests and answers, whose values open an account. */
const SECRET_FIELDS = [
  'password',
  'current_password',
  'new_password',
  'token',
  'access_token',
  'refresh_token',
]

/** What opens an account and came past a test. Nothing of it may lie in a database or a log. */
export interface Secrets {
  /** Notes a secret that a mail holds: a token, code or link. */
  add(secret: string): void
  /** Notes every secret in a request or an answer, however deep. */
  note(value: unknown): void
  /** Those of the secrets that are in a text, or in the bytes of a file. */
  in(content: string | Buffer): string[]
}

export function createSecrets(): Secrets {
  const all = new Set<string>()
  const add = (secret: string) => {
    // Shorter ones are in every file by chance.
    if (secret.length < 7) return
    all.add(secret)
    // A code may be written without its hyphens, and in another case.
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

/** The service, with every secret noted that is sent to it or that it answers. */
export function noteSecrets<Noted extends Client>(service: Noted, { note }: Secrets): Noted {
  const send: Client['send'] = async (method, path, options) => {
    note(options?.body)
    const answer = await service.send(method, path, options)
    note(answer.body)
    return answer
  }
  return { ...service, ...clientOf(service.url, send) }
}

/** All bytes of a folder's files: a database, with its journal. */
export function bytesBelow(folder: string): Buffer {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  )
  return Buffer.concat(files.map((file) => readFileSync(join(file.parentPath, file.name))))
}
