import { delimiter, join } from 'node:path'

const repository = join(import.meta.dirname, '../..')

/**
 * The variables that a program needs from this machine. Excludes settings of the generated service, variables that npm
 * and Vitest set for their children, and CI.
 */
const PASSED_ON =
  /^(HOME|USER|LOGNAME|LANG|LC_\w+|TMPDIR|CC|CXX|CCACHE_\w+|PYTHON|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|npm_config_(registry|cache|cafile|userconfig|nodedir|better_sqlite3_local_prebuilds))$/i

/**
 * A clean environment, as in a new shell, but with one worker for a project's tests: our own keep the processor busy, and
 * each worker loads all modules again. `added` wins.
 */
export function environment(added: Record<string, string> = {}): Record<string, string> {
  const passed = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && PASSED_ON.test(entry[0]),
  )
  return { ...Object.fromEntries(passed), PATH: path(), VITEST_MAX_WORKERS: '1', ...added }
}

/** Without the repository's own node_modules/.bin: a tool that a project forgot to list must be missing. */
function path(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders
    .filter((folder) => !folder.startsWith(repository) && !folder.includes('node-gyp-bin'))
    .join(delimiter)
}
