import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Running, run, start } from '../../support/command.ts'
import { replaceEach } from '../../support/replace.js'

// The services and proxies of docs/jwks.md that verify access tokens by themselves.

export const ALGORITHMS = ['EdDSA', 'ES256', 'RS256'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

export interface Verifier {
  /** As the table of the page names it. */
  name: string
  file: string
  /** The port in the file. */
  port: number
  /** A program from Debian. Default: Node.js with packages of this repository. */
  command?: readonly [string, ...string[]]
  /** Fails if the program or a part of it is missing. */
  probe?: readonly string[]
}

/** A file of the page, which the reader of the project's pages does not write: another service has it. */
const FILE = /^`([\w.-]+)`\n\n<!-- not run: .+ -->\n```\w+\n([\s\S]*?)^```$/gm

const NGINX_MODULE = '/usr/lib/nginx/modules/ngx_http_js_module.so'

export const VERIFIERS: readonly Verifier[] = [
  { name: '@fastify/jwt', file: 'verify-fastify.js', port: 4001 },
  { name: 'express-oauth2-jwt-bearer', file: 'verify-express.js', port: 4002 },
  { name: 'express-jwt', file: 'verify-express-jwt.js', port: 4003 },
  { name: 'Hono', file: 'verify-hono.js', port: 4004 },
  { name: 'jose', file: 'verify-jose.js', port: 4005 },
  {
    ...{ name: 'PyJWT', file: 'verify.py', port: 4006 },
    ...{ command: ['/usr/bin/python3', '-u'], probe: ['-c', 'import jwt, cryptography'] },
  },
  {
    ...{ name: 'njs', file: 'nginx.conf', port: 4007 },
    ...{ command: ['nginx', '-g', 'daemon off;', '-c'], probe: ['-v'] },
  },
  {
    ...{ name: 'HAProxy', file: 'haproxy.cfg', port: 4008 },
    ...{ command: ['haproxy', '-db', '-f'], probe: ['-v'] },
  },
]

/** The verifiers that verify this algorithm, as the table of the page says. */
export function verifiersOf(page: string, algorithm: Algorithm): Verifier[] {
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return VERIFIERS.filter(({ name }) => {
    const row = rows.find(([, title = '']) => new RegExp(`(^|\\W)${name}(\\W|$)`).test(title))
    if (!row) throw new Error(`docs/jwks.md: no row for ${name}`)
    return row[2 + ALGORITHMS.indexOf(algorithm)] === 'yes'
  })
}

/** Why a verifier cannot run here, or undefined. */
export async function missingFor({ name, command, probe = [] }: Verifier): Promise<string | undefined> {
  if (!command) return undefined
  const found = await run(command[0], probe, { cwd: '/' }).catch(() => ({ code: 1 }))
  const isThere = found.code === 0 && (name !== 'njs' || existsSync(NGINX_MODULE))
  return isThere ? undefined : `${name} is not installed`
}

export interface Place {
  algorithm: Algorithm
  /** Where the files are written: an empty folder. */
  folder: string
  /** The address of the service. */
  url: string
  kid: string
  /** A free port for each port on the page. */
  ports: ReadonlyMap<number, number>
}

/** Writes the files of the page, each with this algorithm, these ports and this folder. */
export function writeVerifiers(page: string, { algorithm, folder, url, kid, ports }: Place): void {
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  mkdirSync(join(folder, 'public-keys'))
  const values = [
    ...['EdDSA', 'ES256'].map((name) => [name, algorithm] as const),
    ...[...ports].map(([port, free]) => [String(port), String(free)] as const),
    ['http://localhost:3000', url] as const,
  ]
  const [rsa = ''] = /\{ name: 'RSASSA[^}]+\}/.exec(page) ?? []
  for (const [, file = '', text = ''] of page.matchAll(FILE)) {
    let written = replaceEach(text, values)
    written = written.replaceAll(/\/etc\/(nginx|haproxy)/g, folder).replace('KID', kid)
    if (algorithm === 'RS256') written = written.replace(/\{ name: 'ECDSA'.+\}/, rsa)
    writeFileSync(join(folder, file), file === 'nginx.conf' ? forThisUser(written, folder) : written)
  }
}

/** Runs nginx without the folders of its package, as the user of the tests. */
function forThisUser(config: string, folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = kinds.map((kind) => `  ${kind}_temp_path ${folder}/${kind};`)
  return [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `pid ${folder}/nginx.pid;`,
    `error_log ${folder}/nginx.log;`,
    config
      .replace('modules/ngx_http_js_module.so', NGINX_MODULE)
      .replace('http {', ['http {', '  access_log off;', ...temporary].join('\n')),
  ].join('\n')
}

/** Starts the verifiers: one Node.js for all of its packages, and the programs. */
export function startVerifiers(verifiers: readonly Verifier[], folder: string): Running[] {
  const imports = verifiers
    .filter(({ command }) => !command)
    .map(({ file }) => `await import('${join(folder, file)}')`)
  const programs = verifiers.flatMap(({ command, file }) => {
    if (!command) return []
    const [program, ...args] = command
    return [start(program, [...args, join(folder, file)], { cwd: folder })]
  })
  return [start('node', ['--input-type=module', '--eval', imports.join('\n')], { cwd: folder }), ...programs]
}
