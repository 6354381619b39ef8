import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { createProject, type Report } from '../../support/create-project.ts'
import { startService } from '../harness/service.ts'
import { settingsOf } from './project.ts'

/**
 * Tests that each project has a unique secret for access tokens.
 * @param flags the flags that the project was created with
 * @param secret the name of the setting
 */
export function secretSuite(project: () => Report, flags: string[], secret: string): void {
  describe('.env', () => {
    const placeholder = () => settingsOf(project().directory, '.env.example')[secret] ?? ''

    test('.env.example contains a placeholder that the service refuses', async () => {
      expect(placeholder()).toMatch(/^change-me/)
      const refused = startService({ cwd: project().directory, env: { [secret]: placeholder() } })
      await expect(refused).rejects.toThrow(new RegExp(`\\b${secret}\\b.*placeholder`))
    })

    test('two projects have different secrets and no other difference', async () => {
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
