import { symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inject } from 'vitest'
import { environment } from '../../support/environment.ts'

/** A PATH on which `create-authsmith` is the packed generator, as `npm link` leaves it. */
export function shimmedPath(folder: string): string {
  symlinkSync(inject('bin'), join(folder, 'create-authsmith'))
  return [folder, environment().PATH].join(delimiter)
}
