import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ConfigError, loadConfig } from '../src/config.ts'
import * as groups from '../src/settings/index.ts'
import { startProcess } from './support/process.ts'
import { testSettings } from './support/settings.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const settingNames = Object.values(groups).flatMap((group) => Object.keys(group.in.shape))

/** The error message for these settings. */
function refusal(env: Record<string, string | undefined>): string {
  try {
    loadConfig({ ...testSettings, ...env })
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('The settings were accepted')
}

describe('an invalid setting is rejected', () => {
  test.each([
    ['NODE_ENV', 'staging'],
    ['PORT', '-1'],
    ['PORT', '65536'],
    ['PORT', '3000x'],
    ['PORT', '1e3'],
    ['PORT', '\t3000'],
    ['PORT', '3000\n\n'],
    ['HOST', '127.0.0.1\0'],
    ['HOST', '\u{85}127.0.0.1'],
    ['DATABASE_URL', 'file:data/a\npp.db'],
    ['DATABASE_URL', 'file:data/app.db\x7f'],
    ['KEEP_ALIVE_SECONDS', '0'],
    ['KEEP_ALIVE_SECONDS', '3601'],
    ['PORT', '0x10'],
    ['LOG_LEVEL', 'loud'],
    ['FRONTEND_URL', 'app.example.com'],
    ['FRONTEND_URL', 'javascript:alert(1)'],
    ['FRONTEND_URL', 'https://user:password@app.example.com'],
    ['FRONTEND_URL', 'https://user@app.example.com'],
    ['FRONTEND_URL', 'https://app.example.com/?a=b'],
    ['FRONTEND_URL', 'https://app.example.com/?'],
    ['FRONTEND_URL', 'https://app.example.com/#a'],
    ['CORS_ORIGINS', '*'],
    ['CORS_ORIGINS', 'null'],
    ['CORS_ORIGINS', 'https://*.example.com'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CORS_ORIGINS', 'https://app.example.com,https://APP.example.com'],
    ['DOCS_ENABLED', 'yes'],
  ])('%s=%s', (name, value) => {
    expect(refusal({ [name]: value })).toMatch(new RegExp(`^${name} .+$`))
  })

  // Each of these would let any client forge the address that limits count.
  test.each([
    'true',
    '1',
    '2',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/8,0.0.0.0/0',
    // Wider than any network of one organization.
    '0.0.0.0/1,128.0.0.0/1',
    '10.0.0.0/7',
    '2000::/3',
    '2a00::/15',
    // All of IPv4, in IPv6.
    '::ffff:0:0/96',
    '::/16',
    '::ffff:10.0.0.0/103',
    'loopback',
    '10.0.0',
    '10.0.0.0/33',
    '*',
  ])('TRUST_PROXY=%s', (value) => {
    expect(refusal({ TRUST_PROXY: value })).toMatch(
      /^TRUST_PROXY must be a list of IP addresses or CIDRs .+$/,
    )
  })

  test('all invalid settings are reported together, one line each', () => {
    const lines = refusal({ PORT: 'x', LOG_LEVEL: 'x', DATABASE_URL: 'http://x' }).split('\n')
    expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['DATABASE_URL', 'PORT', 'LOG_LEVEL'])
  })

  test.each(settingNames)('an invalid value of %s is not repeated, because it may be a secret', (name) => {
    const value = 'x\u0000-secret-4711'
    try {
      loadConfig({ ...testSettings, [name]: value })
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      expect(String(error)).toContain(name)
      expect(String(error)).not.toContain('4711')
    }
  })
})

// Without NODE_ENV, which is easy to forget, the API page must not be public.
test('without NODE_ENV the service runs in production', () => {
  const { server } = loadConfig({ ...testSettings })
  expect(server).toMatchObject({ isProduction: true, docsEnabled: false })
})

test('an empty setting counts as not set', () => {
  const empty = Object.fromEntries(settingNames.map((name) => [name, '']))
  expect(loadConfig({ ...empty, ...testSettings })).toEqual(loadConfig({ ...testSettings }))
})

test.each([
  ['3000\n', 3000],
  ['3000\r\n', 3000],
  ['  3000 \n', 3000],
  [' ', 3000],
])('PORT=%j: one line break at the end and spaces are dropped', (PORT, port) => {
  expect(loadConfig({ ...testSettings, PORT }).server.port).toBe(port)
})

test.each(settingNames.filter((name) => /(SECRET_KEY(_PREVIOUS)?|PASSWORD)$/.test(name)))(
  '%s: only a line break at its end is dropped, because spaces may belong to it',
  (name) => {
    const value = '  abcdefghijklmnopqrstuvwxyz0123456789 '
    const hosts = { SMTP_HOST: 'localhost', EMAIL_HOST: 'localhost' }
    const config = loadConfig({ ...testSettings, ...hosts, [name]: `${value}\n` })
    expect(JSON.stringify(config)).toContain(JSON.stringify(value))
  },
)

describe('a setting in a file', () => {
  /** Settings with the path of a file that has this content. */
  async function inFile(name: string, content: string | Uint8Array, others: Record<string, string> = {}) {
    const path = join(await temporaryFolder(), 'value')
    await writeFile(path, content)
    return { ...others, [`${name}_FILE`]: path }
  }

  test.each(settingNames)('%s is read as from the environment', async (name) => {
    const [, value = '127'] = Object.entries(testSettings).find(([other]) => other === name) ?? []
    const outcome = (env: Record<string, string | undefined>) => {
      try {
        return loadConfig({ ...testSettings, ...env })
      } catch (error) {
        return String(error)
      }
    }
    const read = outcome(await inFile(name, `\u{feff}${value}\r\n`, { [name]: '' }))
    expect(read).toEqual(outcome({ [name]: value }))
  })

  test('has a path with a line break at its end', async () => {
    const { PORT_FILE = '' } = await inFile('PORT', '4000')
    expect(loadConfig({ ...testSettings, PORT_FILE: `${PORT_FILE}\n` }).server.port).toBe(4000)
  })

  test('that is set directly too is refused', async () => {
    expect(refusal(await inFile('PORT', '3000', { PORT: '3000' }))).toMatch(
      /^PORT and PORT_FILE are both set: .+$/,
    )
  })

  test.each([
    ['is empty', ''],
    ['has only a line break', '\n'],
    ['is not UTF-8', Buffer.from('app-\xe9', 'latin1')],
    ['is UTF-16', Buffer.from('\u{feff}app', 'utf16le')],
  ])('that %s is refused, without its content', async (_what, content) => {
    expect(refusal(await inFile('HOST', content))).toMatch(/^HOST_FILE [ -~]+$/)
  })

  test('that cannot be read is refused', async () => {
    const folder = await temporaryFolder()
    for (const path of [folder, join(folder, 'none')])
      expect(refusal({ HOST_FILE: path })).toMatch(
        /^HOST_FILE must be the path of a readable file with one line of UTF-8 text$/,
      )
  })

  test('has no control characters', async () => {
    expect(refusal(await inFile('HOST', 'a\nb'))).toMatch(/^HOST_FILE must be .+ one line of UTF-8 text$/)
  })
})

test('lists are separated by commas, with or without spaces', () => {
  const { server } = loadConfig({
    ...testSettings,
    TRUST_PROXY: '10.0.0.0/8, 192.0.2.1,2001:db8::/32,fd00::/16,::ffff:10.0.0.0/104',
    CORS_ORIGINS: ' https://a.example.com ,http://localhost:5173',
  })
  expect(server.trustProxy).toEqual([
    '10.0.0.0/8',
    '192.0.2.1',
    '2001:db8::/32',
    'fd00::/16',
    '::ffff:10.0.0.0/104',
  ])
  expect(server.corsOrigins).toEqual(['https://a.example.com', 'http://localhost:5173'])
})

test('the configuration cannot be changed while the service runs', () => {
  const config = loadConfig({ ...testSettings })
  expect(Object.isFrozen(config)).toBe(true)
  expect(Object.values(config).every(Object.isFrozen)).toBe(true)
})

test('variables that are not settings are ignored', () => {
  expect(() => loadConfig({ ...testSettings, PATH: '/bin', HOME: undefined })).not.toThrow()
})

test('a .env from Windows, with a byte order mark and CR LF, is read; the environment wins', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, '.env'), '\u{feff}PORT=a\r\n# Ours\r\nCORS_ORIGINS=b\r\nLOG_LEVEL="c"\r\n')
  const { code, output } = await startProcess({ ...testSettings, LOG_LEVEL: 'd' }, folder).closed
  expect(code).toBe(1)
  expect(output).toMatch(/PORT must be/)
  expect(output).toMatch(/CORS_ORIGINS must be/)
  expect(output).toMatch(/LOG_LEVEL/)
})
