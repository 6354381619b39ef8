import { z } from 'zod'
import { settings, wholeNumber } from './types.ts'

const client = /^([\w.-]{1,64}):([\w-]{43})$/

const clientList = () =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .refine((parts) => parts.every((part) => part === '' || client.test(part)), {
      error: 'must be a list of NAME:HASH, as the command introspection-client prints them',
    })
    .transform((parts) =>
      parts.flatMap((part) => {
        const [, name = '', hash = ''] = client.exec(part) ?? []
        return name === '' ? [] : { name, hash }
      }),
    )

/** Services and proxies that ask about tokens. */
export const gateway = settings({
  /** Clients of POST /api/v1/auth/introspect, comma-separated. A name may be there twice, with two secrets. Empty: none. */
  introspectionClients: ['INTROSPECTION_CLIENTS', clientList().default([])],
  /** Wrong credentials at POST /api/v1/auth/introspect per client address and minute. */
  introspectionFailures: [
    'RATE_LIMIT_INTROSPECTION_FAILURES',
    wholeNumber({ min: 1, max: 1_000_000 }).default(30),
  ],
})
