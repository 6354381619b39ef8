import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createProject, type Report } from '../harness/project.ts'
import { type Service, startService } from '../harness/service.ts'
import {
  emailChangeSuite,
  LOGIN,
  loginSuite,
  ME,
  newUser,
  type Profile,
  REGISTER,
  registrationSuite,
} from './accounts.ts'
import { throttleSuite, userCommandSuite } from './limits.ts'
import { openapiSuite } from './openapi.ts'
import { ownerSuite } from './owner.ts'
import { type Entry, processSuite } from './process.ts'
import { projectSuite, refusedSettingsSuite, settingsOf } from './project.ts'

const account: Entry = {
  path: REGISTER,
  body: (n) => newUser(`user${n}`),
  has: async (service, n) => (await service.post(LOGIN, newLogin(n))).status === 200,
}

function newLogin(n: number): object {
  const { username, password } = newUser(`user${n}`)
  return { username, password }
}

/** Mode basic in one profile, from the created project to its last endpoint. */
export function basicSuite(profile: Profile): void {
  const secret = profile === 'A' ? 'SECRET_KEY' : 'JWT_SECRET_KEY'
  const algorithm = profile === 'A' ? 'ALGORITHM' : 'JWT_ALGORITHM'
  const flags = ['my-api', '--mode', 'basic', '--profile', profile, '--yes']
  let project: Report
  let service: Service

  describe(`mode basic, profile ${profile}`, () => {
    beforeAll(async () => {
      project = await createProject(mkdtempSync(join(inject('scratch'), 'basic-')), flags)
    })

    projectSuite(() => project)
    processSuite(() => project, account)
    refusedSettingsSuite(
      () => project,
      [
        { [secret]: 'x'.repeat(31) },
        { [algorithm]: 'none' },
        { [algorithm]: 'RS256' },
        { PORT: 'http' },
        { TRUST_PROXY: 'true' },
        { TRUST_PROXY: '1' },
      ],
    )

    describe('.env', () => {
      const placeholder = () => settingsOf(project.directory, '.env.example')[secret] ?? ''

      test('.env.example holds a placeholder that the service refuses', async () => {
        expect(placeholder()).toMatch(/^change-me/)
        const refused = startService({ cwd: project.directory, env: { [secret]: placeholder() } })
        await expect(refused).rejects.toThrow(new RegExp(`\\b${secret}\\b.*placeholder`))
      })

      test('no two projects share a secret, and nothing else differs', async () => {
        const parent = mkdtempSync(join(inject('scratch'), 'basic-'))
        const other = await createProject(parent, [...flags, '--no-install'])
        const [one, two] = [project, other].map(({ directory }) => settingsOf(directory, '.env'))
        expect(one?.[secret]).toMatch(/^[\w-]{43}$/)
        expect(two?.[secret]).toMatch(/^[\w-]{43}$/)
        expect(one?.[secret]).not.toBe(two?.[secret])
        expect({ ...one, [secret]: '' }).toEqual({ ...two, [secret]: '' })
        expect(other.files).toEqual(project.files)
        expect(JSON.stringify([project, other])).not.toContain(one?.[secret])
      })
    })

    describe('over HTTP', () => {
      beforeAll(async () => {
        service = await startService({ cwd: project.directory, env: { RATE_LIMIT_REGISTER: '1000' } })
        return () => service.stop().then(() => {})
      })

      openapiSuite(() => service, {
        '/health/live': ['get'],
        '/health/ready': ['get'],
        [REGISTER]: ['post'],
        [LOGIN]: ['post'],
        [ME]: ['get', 'put'],
      })
      registrationSuite(profile, () => service)
      loginSuite(
        profile,
        () => service,
        () => settingsOf(project.directory, '.env'),
      )
      emailChangeSuite(() => service)

      test('the log holds no password and no token', () => {
        expect(service.running.output()).toContain('login succeeded')
        expect(service.running.output()).not.toMatch(/Correct-Horse-7|Wrong-Horse-7|eyJ|argon2|\$2[aby]\$/)
      })
    })

    throttleSuite(() => project)
    userCommandSuite(profile, () => project)
    ownerSuite(() => project, LOGIN)
  })
}
