// Covers src/env/changes.ts.
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Answers } from '../../../src/answers/answers.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { carryEnv } from '../../../src/env/carry.ts'
import { readEnv } from '../../../src/env/env-file.ts'
import { RENAMED } from '../../../src/env/renamed.ts'
import { envWithSecrets } from '../../../src/env/secrets.ts'
import { renderOnce } from '../../support/blueprints.ts'

/** 'complete-a', 'basic-b+postgres', 'none' */
function answersOf(state: string): Answers {
  const [, mode, profile, database = 'sqlite'] = /^(\w+)(?:-([ab]))?(?:\+(\w+))?$/.exec(state) ?? []
  const given = { name: 'my-api', mode, database, addOns: [], packageManager: 'npm' }
  return { ...given, ...(profile && { profile: profile.toUpperCase() }) } as Answers
}

const exampleOf = (state: string) => renderOnce(planOf(answersOf(state))).get('.env.example') ?? ''

/** Switches from state to state, the .env after each; `edit` is what the owner does in between. */
function carry(env: string, ...states: string[]) {
  let text = env
  let notes: readonly string[] = []
  states.slice(1).forEach((state, index) => {
    const [from, to] = [answersOf(states[index] ?? ''), answersOf(state)]
    ;({ text, notes } = carryEnv({ env: text, example: exampleOf(state), from, to }))
  })
  return { text, notes, settings: readEnv(text) }
}

const secret = 's'.repeat(40)
const envOf = (state: string) => envWithSecrets(exampleOf(state))

describe('the .env of a switched project', () => {
  const states = ['none', 'basic-a', 'basic-b', 'complete-a', 'complete-b', 'complete-b+postgres']
  const pairs = states.flatMap((from) => states.filter((to) => to !== from).map((to) => [from, to] as const))

  it.each(pairs)(
    '%s → %s: keeps every line, has every setting, and a second run changes nothing',
    (from, to) => {
      const env = envOf(from)
      const { text, settings } = carry(env, from, to)
      const lines = text.split('\n')
      const gone = env.split('\n').filter((line) => !lines.includes(line))
      expect(gone).toEqual(
        from.includes('+') === to.includes('+') ? [] : [expect.stringMatching(/^DATABASE_URL=/)],
      )
      expect(Object.keys(readEnv(exampleOf(to))).filter((name) => settings[name] === undefined)).toEqual([])
      expect(text).not.toMatch(/^[A-Z_]+=change-me/m)
      expect(carry(text, from, to).text).toBe(text)
    },
  )

  it.each(['A', 'B'] as const)(
    'has each renamed setting of profile %s: the table matches the blueprints',
    (profile) => {
      const names = (state: string) => Object.keys(readEnv(exampleOf(`${state}-${profile.toLowerCase()}`)))
      for (const pair of RENAMED) {
        expect(names('complete')).toContain(pair[profile])
        expect(names('basic').includes(pair[profile])).toBe(!pair.complete)
      }
    },
  )

  it('has a note about each value that its # cuts', () => {
    const env = `SECRET_KEY=${secret}\nSMTP_PASSWORD=p#w\nSMTP_USER=u # comment\nSMTP_HOST="a"#b\nALGORITHM= # c\nA=#b\nB=# c\n`
    const { notes } = carry(env, 'complete-a', 'complete-b')
    expect(notes.filter((note) => note.includes('#'))).toEqual(
      ['A', 'SMTP_PASSWORD'].map((name) => `.env: the value of ${name} ends before its #: put it in quotes`),
    )
  })

  it('is read by Node as intended', () => {
    const { text, settings } = carry(
      `SECRET_KEY='${secret}#"x"'\nSMTP_USER="a b"\n`,
      'complete-a',
      'complete-b',
    )
    const folder = fs.mkdtempSync(join(tmpdir(), 'env-'))
    onTestFinished(() => fs.rmSync(folder, { recursive: true }))
    fs.writeFileSync(join(folder, '.env'), text)
    const code = "process.loadEnvFile('.env'); console.log(JSON.stringify(process.env))"
    const { stdout } = spawnSync(process.execPath, ['-e', code], { cwd: folder, env: {}, encoding: 'utf8' })
    expect(JSON.parse(stdout)).toMatchObject(settings)
    expect(settings).toMatchObject({ JWT_SECRET_KEY: `${secret}#"x"`, EMAIL_HOST_USER: 'a b' })
  })
})

it('a setting in a file is not added by an update either', () => {
  const { settings } = carry('JWT_SECRET_KEY_FILE=/run/key\nSECRET_KEY=old\n', 'basic-b', 'complete-b')
  expect(settings).not.toHaveProperty('JWT_SECRET_KEY')
  const url = carry('DATABASE_URL_FILE=/run/url', 'basic-b', 'basic-b+postgres')
  expect(url.settings).not.toHaveProperty('DATABASE_URL')
})

describe('a switch of the profile', () => {
  const a = [
    `SECRET_KEY=${secret}`,
    'SECRET_KEY_PREVIOUS=old1,old2',
    'ALGORITHM=HS512',
    'ACCESS_TOKEN_EXPIRE_MINUTES=5',
    'REFRESH_TOKEN_EXPIRE_DAYS=3',
    'SMTP_HOST=mail.example.com',
    'SMTP_PORT=465',
    'SMTP_USER=me',
    'SMTP_PASSWORD=it\'s "p" ',
    'SMTP_USE_TLS=true',
    'EMAILS_FROM_EMAIL=me@example.com',
    'EMAILS_FROM_NAME=My Shop',
  ].join('\n')
  const b = {
    JWT_SECRET_KEY: secret,
    JWT_SECRET_KEY_PREVIOUS: 'old1,old2',
    JWT_ALGORITHM: 'HS512',
    JWT_ACCESS_TOKEN_EXPIRATION: '300',
    JWT_REFRESH_TOKEN_EXPIRATION: '259200',
    EMAIL_HOST: 'mail.example.com',
    EMAIL_PORT: '465',
    EMAIL_HOST_USER: 'me',
    EMAIL_HOST_PASSWORD: 'it\'s "p"',
    EMAIL_USE_TLS: 'true',
    EMAIL_FROM_EMAIL: 'me@example.com',
    EMAIL_FROM_NAME: 'My Shop',
  }

  it('copies values to the new names, and prints no secret', () => {
    const { settings, text, notes } = carry(a, 'complete-a', 'complete-b')
    expect(settings).toMatchObject(b)
    expect(text.startsWith(`${a}\n\n`)).toBe(true)
    expect(notes).toContain('.env: JWT_SECRET_KEY has the value of SECRET_KEY')
    expect(notes).toContain('.env: JWT_ACCESS_TOKEN_EXPIRATION has 300, from ACCESS_TOKEN_EXPIRE_MINUTES')
    expect(notes.join()).not.toMatch(/sssss|old1|"p"/)
  })

  it('copies the paths of files, and adds no value beside one', () => {
    const env = [
      'SECRET_KEY_FILE=/run/secrets/key',
      'SMTP_PASSWORD_FILE="/run/my secrets/smtp"',
      'LOG_LEVEL_FILE=/run/level',
      'ACCESS_TOKEN_EXPIRE_MINUTES_FILE=/run/minutes',
    ].join('\n')
    const there = carry(env, 'complete-a', 'complete-b')
    expect(there.settings).toMatchObject({
      JWT_SECRET_KEY_FILE: '/run/secrets/key',
      EMAIL_HOST_PASSWORD_FILE: '/run/my secrets/smtp',
      JWT_ACCESS_TOKEN_EXPIRATION_FILE: '',
    })
    for (const name of ['JWT_SECRET_KEY', 'EMAIL_HOST_PASSWORD', 'LOG_LEVEL', 'JWT_ACCESS_TOKEN_EXPIRATION'])
      expect(there.settings).not.toHaveProperty(name)
    const moved = there.text.replace('JWT_SECRET_KEY_FILE=/run/secrets/key', 'JWT_SECRET_KEY_FILE=/run/new')
    const back = carry(moved, 'complete-b', 'complete-a')
    expect(back.settings).toMatchObject({ SECRET_KEY_FILE: '/run/new' })
    expect(back.settings).not.toHaveProperty('SECRET_KEY')
  })

  it.each([
    [`SECRET_KEY=${secret}\nJWT_SECRET_KEY_FILE=/run/old`, secret, ''],
    [`SECRET_KEY_FILE=/run/new\nJWT_SECRET_KEY=${'o'.repeat(40)}`, '', '/run/new'],
    // As for a value: an old path must not bring back a leaked key.
    ['JWT_SECRET_KEY_FILE=/run/key', expect.stringMatching(/^[\w-]{43}$/), ''],
  ])('never leaves a setting and its file: %s', (env, value, path) => {
    const { settings } = carry(env, 'complete-a', 'complete-b')
    expect([settings.JWT_SECRET_KEY, settings.JWT_SECRET_KEY_FILE]).toEqual([value, path])
  })

  it('copies values back to the former names', () => {
    const there = Object.entries(b).map(([name, value]) => `${name}=${value}`)
    const { settings } = carry(there.join('\n'), 'complete-b', 'complete-a')
    expect(settings).toMatchObject({ ...readEnv(a) })
  })

  it.each([
    ['b', 'JWT_ACCESS_TOKEN_EXPIRATION=30', 'ACCESS_TOKEN_EXPIRE_MINUTES', '1'],
    ['b', 'JWT_ACCESS_TOKEN_EXPIRATION=119', 'ACCESS_TOKEN_EXPIRE_MINUTES', '1'],
    ['b', 'JWT_REFRESH_TOKEN_EXPIRATION=100', 'REFRESH_TOKEN_EXPIRE_DAYS', '1'],
    ['b', 'JWT_REFRESH_TOKEN_EXPIRATION=9999999', 'REFRESH_TOKEN_EXPIRE_DAYS', '30'],
    ['a', 'ACCESS_TOKEN_EXPIRE_MINUTES=99999', 'JWT_ACCESS_TOKEN_EXPIRATION', '86400'],
    ['a', 'ACCESS_TOKEN_EXPIRE_MINUTES=soon', 'JWT_ACCESS_TOKEN_EXPIRATION', '1800'],
    ['a', 'REFRESH_TOKEN_EXPIRE_DAYS=', 'JWT_REFRESH_TOKEN_EXPIRATION', '86400'],
  ])('from %s: %s becomes %s=%s, within the bounds', (from, env, name, value) => {
    const { settings } = carry(env, `complete-${from}`, `complete-${from === 'a' ? 'b' : 'a'}`)
    expect(settings[name]).toBe(value)
  })

  it('restores the exact lifetime on a switch back', () => {
    const env = 'JWT_ACCESS_TOKEN_EXPIRATION=90\nJWT_REFRESH_TOKEN_EXPIRATION=100000\n'
    const { settings } = carry(env, 'complete-b', 'complete-a', 'complete-b')
    expect(settings).toMatchObject(readEnv(env))
  })

  it('takes the value of the former profile on a switch back, and changes its line', () => {
    const { text } = carry(`# mine\nSECRET_KEY=${secret} # keep\nPORT=1\n`, 'basic-a', 'basic-b')
    const rotated = text.replace(`JWT_SECRET_KEY=${secret}`, `JWT_SECRET_KEY="${'n'.repeat(40)}"`)
    const back = carry(rotated, 'basic-b', 'basic-a')
    expect(back.text.startsWith(`# mine\nSECRET_KEY="${'n'.repeat(40)}" # keep\nPORT=1\n`)).toBe(true)
    expect(back.notes).toContain('.env: SECRET_KEY changed and has the value of JWT_SECRET_KEY')
    expect(back.text.match(/^SECRET_KEY=/gm)).toHaveLength(1)
  })

  it.each(['JWT_SECRET_KEY_PREVIOUS=\n', ''])(
    'never brings back a leaked key that was removed (%j)',
    (line) => {
      const env = `SECRET_KEY_PREVIOUS=leaked\nJWT_SECRET_KEY=${secret}\n${line}`
      expect(carry(env, 'basic-b', 'basic-a').settings.SECRET_KEY_PREVIOUS).toBe('')
    },
  )

  it('never brings back a secret that was moved elsewhere', () => {
    const { settings, notes } = carry(`SECRET_KEY=${secret}\n`, 'basic-b', 'basic-a')
    expect(settings.SECRET_KEY).toMatch(/^[\w-]{43}$/)
    expect(notes).toContain('.env: SECRET_KEY has a new secret, because JWT_SECRET_KEY has no value')
  })

  it('notes when there is no value to copy', () => {
    const { notes } = carry('PORT=1\n', 'basic-a', 'basic-b')
    expect(notes.join('\n')).toContain('SECRET_KEY has no value to copy')
  })

  it('restores settings that a mode in between does not have', () => {
    const { text, settings } = carry('SMTP_HOST=old\n', 'complete-a', 'complete-b')
    expect(settings.EMAIL_HOST).toBe('old')
    const newer = text.replace('SMTP_HOST=old', 'SMTP_HOST=newer')
    expect(carry(newer, 'complete-a', 'basic-b', 'complete-b').settings.EMAIL_HOST).toBe('newer')
    expect(carry('EMAIL_HOST=kept\n', 'complete-b', 'basic-a', 'complete-b').settings.EMAIL_HOST).toBe('kept')
    expect(carry('EMAIL_HOST=kept\n', 'basic-b', 'basic-a', 'complete-a').settings.SMTP_HOST).toBe('kept')
  })

  it('notes when it cannot decide which of two values is newer', () => {
    const { settings, notes } = carry('SECRET_KEY=one\nJWT_SECRET_KEY=two\n', 'none', 'basic-b')
    expect(settings.JWT_SECRET_KEY).toBe('two')
    expect(notes.join('\n')).toContain('JWT_SECRET_KEY and SECRET_KEY differ')
  })
})

describe('new secrets', () => {
  it('are added if there was none', () => {
    const { settings, notes } = carry('PORT=1\n', 'none', 'complete-b')
    expect(settings.JWT_SECRET_KEY).toMatch(/^[\w-]{43}$/)
    expect(notes.join('\n')).toContain('JWT_SECRET_KEY (a new secret)')
  })

  it('never replace an existing one', () => {
    expect(carry(`JWT_SECRET_KEY=${secret}\n`, 'basic-b', 'complete-b').settings.JWT_SECRET_KEY).toBe(secret)
    expect(carry(`SECRET_KEY=${secret}\n`, 'basic-a', 'none', 'basic-b').settings.JWT_SECRET_KEY).toBe(secret)
  })
})

describe('a switch of the database', () => {
  it('uses the default of the new database, and keeps the old address in a comment above it', () => {
    const env = 'PORT=1\nexport DATABASE_URL="file:data/my app.db" # the disk\nHOST=::1\n'
    const { text, notes } = carry(env, 'none', 'none+postgres')
    expect(
      text.startsWith(
        'PORT=1\n# Until the switch to postgres, for copy-data --from:\n# DATABASE_URL="file:data/my app.db"\n' +
          'export DATABASE_URL=postgres://localhost:5432/my-api # the disk\nHOST=::1\n',
      ),
    ).toBe(true)
    expect(notes.join('\n')).toContain('DATABASE_URL has the default of the new database')
    expect(carry(text, 'none+postgres', 'none').text).toContain(
      '# DATABASE_URL=postgres://localhost:5432/my-api\nexport DATABASE_URL=file:data/app.db # the disk\n',
    )
  })

  it('keeps an address that is already one of the new database', () => {
    const env = 'DATABASE_URL=postgresql://db/app\n'
    expect(carry(env, 'none', 'none+postgres').settings.DATABASE_URL).toBe('postgresql://db/app')
  })
})

describe('a .env written by hand', () => {
  it('keeps Windows line ends', () => {
    const { text } = carry(`PORT=1\r\nSECRET_KEY=${secret}\r\n`, 'basic-a', 'basic-b')
    expect(text).not.toMatch(/[^\r]\n/)
    expect(readEnv(text).JWT_SECRET_KEY).toBe(secret)
    const back = carry(
      text.replace(`JWT_SECRET_KEY=${secret}`, 'JWT_SECRET_KEY=changed'),
      'basic-b',
      'basic-a',
    )
    expect(back.text).toContain('\r\nSECRET_KEY=changed\r\n')
    expect(back.text).not.toMatch(/[^\r]\n/)
  })

  it('gets a newline at the end before additions', () => {
    expect(carry('PORT=1', 'none', 'basic-a').text.startsWith('PORT=1\n\n#')).toBe(true)
  })

  it.each([
    ['export', `export SECRET_KEY=${secret}\n`],
    ['spaces', `  SECRET_KEY = ${secret}  # comment\n`],
    ['double quotes', `SECRET_KEY="${secret}"\n`],
    ['single quotes', `SECRET_KEY='${secret}' # it's mine\n`],
    ['backticks', `SECRET_KEY=\`${secret}\`\n`],
    ['two lines', `SECRET_KEY=first\nSECRET_KEY=${secret}\n`],
    ['an assignment inside a value', `SECRET_KEY=${secret}\nNOTE="\nSECRET_KEY=inside\n"\n`],
    ['a comment that looks like one', `SECRET_KEY=${secret}\n# SECRET_KEY=comment\n`],
  ])('is carried over and changed in the right place: %s', (_case, env) => {
    const { text, settings } = carry(env, 'basic-a', 'basic-b')
    expect(settings.JWT_SECRET_KEY).toBe(secret)
    const rotated = `${text}JWT_SECRET_KEY=rotated\n`
    const back = carry(rotated, 'basic-b', 'basic-a')
    expect(back.settings.SECRET_KEY).toBe('rotated')
    expect(back.settings.NOTE).toBe(readEnv(env).NOTE)
  })

  it.each(['line one\nline two', '#x', ' padded ', 'a"b\'c', '`"', 'C:\\new', '$HOME'])(
    'keeps the value %j',
    (value) => {
      const quote = ['"', "'", '`'].find((candidate) => !value.includes(candidate)) ?? ''
      const env = `SMTP_PASSWORD=${quote}${value}${quote}\n`
      const given = readEnv(env).SMTP_PASSWORD
      expect(carry(env, 'complete-a', 'complete-b').settings.EMAIL_HOST_PASSWORD).toBe(given)
    },
  )

  it('is not changed if an unclosed quote would include the additions', () => {
    // The copy under the new name would close it.
    const env = "SMTP_PASSWORD='oops\n"
    const { text, notes } = carry(env, 'complete-a', 'complete-b')
    expect(text).toBe(env)
    expect(notes.join('\n')).toMatch(/^\.env was not changed.+EMAIL_HOST_PASSWORD/)
  })
})
