// Covers src/update/plan/former-notes.ts.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { renderOnce } from '../support/blueprints.ts'
import { otherProfile } from '../support/laws.ts'
import {
  allFiles,
  freshTree,
  type Memory,
  nameOf,
  projectOf,
  regenerate,
  run,
  STATES,
  stateNamed,
  tree,
} from './project.ts'

const inProject = (path: string) => `/work/my-api/${path}`
const manifestOf = (memory: Memory) => JSON.parse(allFiles(memory)['.authsmith/manifest.json'] ?? '')

const UNTIL = '2026-01-08T00:00:00.000Z'
const at = (time: string) => ({ now: () => Date.parse(time) })

/** A project that was basic A, and is basic B since the first of January. */
async function switched(): Promise<Memory> {
  const memory = await projectOf(stateNamed('basic A sqlite'))
  expect(await regenerate(memory, ['--profile', 'B'])).toMatchObject({ exitCode: 0, stderr: '' })
  return memory
}

describe('a project that never switched its profile', () => {
  it.each(STATES.map((state) => ({ state, title: nameOf(state) })))(
    'does not mention the other one: $title',
    ({ state }) => {
      const files = [...renderOnce(planOf(state))]
      const word = /PROFILE_[AB]_TOKENS|profile [AB]\b|[a-z]Former|former[A-Z-]|formerly|carried[-C]/
      expect(files.filter((file) => word.test(file.join('\n'))).map(([path]) => path)).toEqual([])
    },
  )

  it.each(STATES.filter(({ profile }) => profile).map((state) => ({ state, title: nameOf(state) })))(
    'differs from one that did in few files: $title',
    ({ state }) => {
      const withPages = { ...state, addOns: ['pages'] } satisfies Answers
      const plain = freshTree(withPages)
      const former = freshTree(withPages, otherProfile(state.profile))
      const paths = Object.keys(former).filter((path) => former[path] !== plain[path])
      const isOf = (path: string) =>
        /(^|\/)(former|carried|link-token)[^/]*$|settings\/time\.ts$/.test(path) ||
        /^emails\//.test(path) ||
        SEAMS.includes(path)
      expect(Object.keys(plain).filter((path) => !(path in former))).toEqual([])
      expect(paths.filter((path) => !isOf(path))).toEqual([])
      expect(paths).toContain('src/sessions/former-claims.ts')
    },
  )
})

/** The files that call what only a switched project has. */
const SEAMS = [
  '.env.example',
  'docs/security.md',
  'docs/settings.md',
  'docs/switching.md',
  'src/sessions/signers.ts',
  'src/email/tokens.ts',
  'src/email/outbox.ts',
  'src/passwords/credentials.ts',
  'src/settings/access-tokens.ts',
  'pages/emailed-token.js',
  'pages/reset-password.html',
  'pages/verify-email.html',
  'test/security/enumeration.test.ts',
  'test/support/app.ts',
  'test/support/stored-email.ts',
]

describe('a switch of the profile', () => {
  it('adds what accepts the former one, and says until when', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    const { stdout } = await regenerate(memory, ['--profile', 'B'])
    expect(stdout).toContain(
      `  profile A: accepted until ${UNTIL}; after that, run regenerate --forget-former\n`,
    )
    expect(tree(memory)).toEqual(freshTree(stateNamed('basic B sqlite'), 'A'))
    expect(manifestOf(memory).former).toEqual({ profile: 'A', until: UNTIL })
    expect(allFiles(memory)['.env']).toContain(`PROFILE_A_TOKENS_UNTIL=${UNTIL}\n`)
    const { stdout: again } = await regenerate(memory, [], at('2026-03-01T00:00:00Z'))
    expect(again).toContain('nothing to do')
  })

  it('through mode none accepts it too', async () => {
    const memory = await projectOf(stateNamed('basic A sqlite'))
    for (const flags of [
      ['-m', 'none'],
      ['-m', 'basic', '-p', 'B'],
    ])
      expect((await regenerate(memory, flags)).exitCode).toBe(0)
    expect(tree(memory)).toEqual(freshTree(stateNamed('basic B sqlite'), 'A'))
    expect(manifestOf(memory).former).toEqual({ profile: 'A', until: UNTIL })
  })

  it('back makes the other one the former profile', async () => {
    const memory = await switched()
    await regenerate(memory, ['--profile', 'A'], at('2026-01-02T00:00:00Z'))
    expect(tree(memory)).toEqual(freshTree(stateNamed('basic A sqlite'), 'B'))
    expect(manifestOf(memory).former).toEqual({ profile: 'B', until: '2026-01-09T00:00:00.000Z' })
  })
})

describe('the templates of mails that wait', () => {
  it.each([
    ['A', 'B', ['reset_password_email', 'verification_email']],
    ['B', 'A', ['password_reset', 'verification', 'welcome']],
  ])(
    'stay at a switch from %s to %s, edited or not, and go with --forget-former',
    async (from, to, names) => {
      const templates = (memory: Memory) => {
        const files = Object.entries(allFiles(memory))
        return Object.fromEntries(files.filter(([path]) => /^emails\/\w+\.html$/.test(path)))
      }
      const [first, ...others] = names.map((name) => `emails/${name}.html`)
      const memory = await projectOf(stateNamed(`complete ${from} sqlite`))
      memory.volume.appendFileSync(inProject(first ?? ''), '<p>Ours</p>\n')
      const before = templates(memory)
      expect((await regenerate(memory, ['--profile', to])).exitCode).toBe(0)
      const fresh = templates(await projectOf(stateNamed(`complete ${to} sqlite`)))
      expect(templates(memory)).toEqual({ ...before, ...fresh })
      expect(others.filter((path) => path in fresh)).toEqual([])

      const { stdout } = await regenerate(memory, ['--forget-former'])
      expect(stdout).toContain(`no longer generated, yours now: ${first}`)
      expect(templates(memory)).toEqual({ ...fresh, [first ?? '']: before[first ?? ''] })
    },
  )
})

describe('regenerate --forget-former', () => {
  it('removes what accepts the former profile, keeps .env, and names what is no longer read', async () => {
    const memory = await switched()
    const env = allFiles(memory)['.env']
    const { stdout, exitCode } = await regenerate(memory, ['--forget-former'])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('my-api is basic, B, sqlite now\n')
    expect(stdout).toContain('no longer read: PROFILE_A_TOKENS_UNTIL; remove it from .env')
    expect(tree(memory)).toEqual(tree(await projectOf(stateNamed('basic B sqlite'))))
    expect(allFiles(memory)['.env']).toBe(env)
    expect(manifestOf(memory).former).toBeNull()
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
    expect((await regenerate(memory, ['--mode', 'complete'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(tree(await projectOf(stateNamed('complete B sqlite'))))
  })

  it('names every setting that profile A read for profile B', async () => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    await regenerate(memory, ['--profile', 'A'])
    const { stdout } = await regenerate(memory, ['--forget-former', '--json'])
    const { notes, former } = JSON.parse(stdout)
    expect(former).toBeNull()
    expect(notes).toEqual([
      'no longer read: JWT_AUDIENCE, JWT_ISSUER, PROFILE_B_TOKENS_UNTIL; remove it from .env and from any other place that sets it',
    ])
  })

  it("keeps the owner's edits", async () => {
    const memory = await switched()
    memory.volume.appendFileSync(inProject('src/sessions/signers.ts'), '// ours\n')
    memory.volume.appendFileSync(inProject('src/sessions/former-claims.ts'), '// ours too\n')
    const { stdout, exitCode } = await regenerate(memory, ['--forget-former'])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(stdout).toContain('no longer generated, yours now: src/sessions/former-claims.ts')
    const fresh = freshTree(stateNamed('basic B sqlite'))['src/sessions/signers.ts']
    expect(allFiles(memory)['src/sessions/signers.ts']).toBe(`${fresh}// ours\n`)
  })

  it('shows what it would do', async () => {
    const memory = await switched()
    const before = allFiles(memory)
    const { stdout, exitCode } = await regenerate(memory, ['--forget-former', '--dry-run'])
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
    expect(stdout).toMatch(/^ {2}delete {4}src\/sessions\/former-claims\.ts {2}\+0 -\d+$/m)
    expect(allFiles(memory)).toEqual(before)
  })

  it('works in mode none, where no file shows the former profile', async () => {
    const memory = await switched()
    await regenerate(memory, ['--mode', 'none'])
    expect(manifestOf(memory).former).toEqual({ profile: 'A', until: UNTIL })
    expect((await regenerate(memory, ['--forget-former'])).exitCode).toBe(0)
    expect(manifestOf(memory).former).toBeNull()
    expect((await regenerate(memory, ['--mode', 'basic', '--profile', 'B'])).exitCode).toBe(0)
    expect(tree(memory)).toEqual(tree(await projectOf(stateNamed('basic B sqlite'))))
  })

  it('has nothing to do if there is nothing to forget', async () => {
    const memory = await switched()
    await regenerate(memory, ['--forget-former'])
    for (const project of [memory, await projectOf(stateNamed('none sqlite'))]) {
      const before = allFiles(project)
      const { stdout, exitCode } = await regenerate(project, ['--forget-former'], { interactive: true })
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('nothing to do') })
      expect(allFiles(project)).toEqual(before)
    }
  })

  it.each([['--mode', 'none'], ['-p', 'A'], ['-d', 'postgres'], ['--check'], ['--continue'], ['--abort']])(
    'cannot be combined with %s %s',
    async (...flags) => {
      const memory = await switched()
      const before = allFiles(memory)
      const { stderr, exitCode } = await regenerate(memory, ['--forget-former', ...flags.filter(Boolean)])
      expect({ exitCode, stderr }).toEqual({
        exitCode: 2,
        stderr: expect.stringMatching(
          /^create-authsmith: Option `--forget-former` cannot be used with [^\n]+ Remove one of them\.\n$/,
        ),
      })
      expect(allFiles(memory)).toEqual(before)
    },
  )
})

describe('status says until when a former profile is accepted', () => {
  const status = async (memory: Memory, time: string) => ({
    text: (await run(memory, ['status'], at(time))).stdout,
    former: JSON.parse((await run(memory, ['status', '--json'], at(time))).stdout).former,
  })

  it('before that moment and from it on', async () => {
    const memory = await switched()
    const before = await status(memory, '2026-01-07T23:59:59Z')
    expect(before.text).toContain(
      `  profile A: accepted until ${UNTIL}; after that, run regenerate --forget-former\n`,
    )
    expect(before.former).toEqual({ profile: 'A', until: UNTIL, isOver: false })
    const after = await status(memory, UNTIL)
    expect(after.text).toContain(
      `  profile A: everything it issued expired by ${UNTIL}; run regenerate --forget-former\n`,
    )
    expect(after.former).toEqual({ profile: 'A', until: UNTIL, isOver: true })
  })

  it('but not after --forget-former, or if there is none', async () => {
    const memory = await switched()
    await regenerate(memory, ['--forget-former'])
    for (const project of [memory, await projectOf(stateNamed('basic A sqlite'))]) {
      const { text, former } = await status(project, UNTIL)
      expect(text).not.toContain('profile A:')
      expect(former).toBeNull()
    }
  })
})
