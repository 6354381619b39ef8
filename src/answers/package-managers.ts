/** The commands of a package manager. Templates use these names. */
interface PackageManagerCommands {
  /** Runs a script of package.json. */
  readonly run: string
  /** The separator between a script's name and its arguments. */
  readonly dashes: string
  readonly install: string
  /** The files that a clean install reads. */
  readonly cleanInstallFiles: string
  /** Installs exactly what the lock file lists. Works in an image that has only npm. */
  readonly cleanInstall: string
  /** Removes the development dependencies. */
  readonly prune: string
  readonly lockfile: string
}

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const
export type PackageManager = (typeof PACKAGE_MANAGERS)[number]

export const packageManagerCommands: Record<PackageManager, PackageManagerCommands> = {
  npm: {
    run: 'npm run',
    dashes: ' --',
    install: 'npm install',
    cleanInstallFiles: 'package.json package-lock.json',
    cleanInstall: 'npm ci',
    prune: 'npm prune --omit=dev',
    lockfile: 'package-lock.json',
  },
  pnpm: {
    run: 'pnpm run',
    dashes: '',
    install: 'pnpm install',
    cleanInstallFiles: 'package.json pnpm-lock.yaml pnpm-workspace.yaml',
    cleanInstall: 'npm install --global pnpm && pnpm install --frozen-lockfile',
    prune: 'pnpm prune --prod',
    lockfile: 'pnpm-lock.yaml',
  },
  yarn: {
    run: 'yarn run',
    dashes: '',
    install: 'yarn install',
    cleanInstallFiles: 'package.json yarn.lock .yarnrc.yml',
    cleanInstall: 'npm install --global @yarnpkg/cli-dist && yarn install --immutable',
    prune: 'yarn workspaces focus --all --production',
    lockfile: 'yarn.lock',
  },
  bun: {
    run: 'bun run',
    dashes: '',
    install: 'bun install',
    cleanInstallFiles: 'package.json bun.lock',
    cleanInstall: 'npm install --global bun && bun install --frozen-lockfile',
    prune: 'rm -rf node_modules && bun install --production --frozen-lockfile',
    lockfile: 'bun.lock',
  },
}

/**
 * Detects the package manager that started this process.
 * @param userAgent the variable `npm_config_user_agent`, which all four set: "pnpm/9.1.0 npm/? node/v20 …"
 * @returns npm if the variable is missing or names another one
 */
export function detectPackageManager(userAgent = ''): PackageManager {
  const caller = userAgent.split('/', 1)[0]
  return PACKAGE_MANAGERS.find((packageManager) => packageManager === caller) ?? 'npm'
}
