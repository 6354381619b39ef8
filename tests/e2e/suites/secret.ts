import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { createProject, type Report } from '../harness/project.ts'
import { startService } from '../harness/service.ts'
import { settingsOf } from './project.ts'

/**
 * The secret that signs access tokens: each project has its own.
 * @param flags what the project was created with
 * @param secret the setting's name
 */
export function secretSuite(project: () => Report, flags: string[], secret: string): void {
  describe('.env', () => {
    const placeholder = () => settingsOf(project().directory, '.env.example')[secret] ?? ''

    test('.env.example holds a placeholder that the service refuses', async () => {
      expect(placeholder()).toMatch(/^change-me/)
      const refused = startService({ cwd: project().directory, env: { [secret]: placeholder() } })
      await expect(refused).rejects.toThrow(new RegExp(`\\b${secret}\\b.*placeholder`))
    })

    test('no two projects share a secret, and nothing else differs', async () => {
      const parent = mkdtempSync(join(inject('scratch'), 'other-'))
      const other = await createProject(parent, [...flags, '--no-install'])
      const [one, two] = [project(), other].map(({ directory }) => settingsOf(directory, '.env'))
      expect(one?.[secret]).toMatch(/^[\w-]{43}$/)
      expect(two?.[secret]).toMatch(/^[\w-]{43}$/)
      expect(one?.[secret]).not.toBe(two?.[secret])
      expect({ ...one, [secret]: '' }).toEqual({ ...two, [secret]: '' })
      expect(other.files).toEqual(project().files)
      expect(JSON.stringify([project(), other])).not.toContain(one?.[secret])
    })
  })
}
