import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inject } from 'vitest'
import { environment } from '../../support/environment.ts'

/** A PATH whose npx runs the packed generator for create-authsmith, also with @latest, and refuses everything else. */
export function shimmedPath(folder: string): string {
  const script = `#!/bin/sh
[ "$1" = create-authsmith ] || [ "$1" = create-authsmith@latest ] || { echo "npx $*: not supported by the docs tests" >&2; exit 1; }
shift
exec '${inject('bin')}' "$@"
`
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 })
  return [folder, environment().PATH].join(delimiter)
}
