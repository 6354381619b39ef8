// Covers src/cli/release-report.ts.
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { WORDS } from '../../../../src/blueprints/layers.ts'
import { COMMAND, readChangelog } from '../../../../src/update/plan/changelog.ts'
import { PROJECT, runSmall, smallProject } from '../../../support/small-project.ts'
import { jsonOf } from '../../cli/outcomes.ts'

const CHANGELOG = `# Changelog

## [Unreleased] (${packageJson.version})

### Added

- For every project. Its
  second sentence, with \`code\`.
- [complete-b] For complete B.
- [auth, none] For basic, complete and none.
- [none+postgres] For none with PostgreSQL.
- [command] For the command.

### Security

- [sqlite] A file \`a.db\` has mode 0600: it was readable in v1.2. 3 others read it.

## [0.1.0] - 2026-11-21

### Added

- The first version.
`

/** A project of mode none on SQLite that version 0.1.0 generated, and that the current version changes. */
async function outdated() {
  const memory = await smallProject()
  const path = `${PROJECT}/.authsmith/manifest.json`
  const manifest = JSON.parse(memory.volume.readFileSync(path, 'utf8') as string)
  memory.volume.fromJSON({
    [path]: JSON.stringify({ ...manifest, generator: '0.1.0' }),
    '/CHANGELOG.md': CHANGELOG,
    '/blueprints/all/src/new.ts': 'export const fresh = 1\n',
  })
  return memory
}

const SHOWN = `
create-authsmith 0.1.0 → ${packageJson.version}: 3 changes for this project
  Security
    - A file \`a.db\` has mode 0600: it was readable in v1.2.
  Added
    - For every project.
    - For basic, complete and none.
`

describe('the changes of a new version', () => {
  it.each([
    ['status'],
    ['regenerate', '--check'],
    ['regenerate', '--dry-run'],
    ['regenerate', '--no-install'],
  ])('are shown by %s %s', async (...argv) => {
    expect((await runSmall(await outdated(), argv)).stdout).toContain(SHOWN)
  })

  it('are those of the variant that a switch makes', async () => {
    const argv = ['regenerate', '--dry-run', '--mode', 'basic', '--profile', 'B']
    const { stdout } = await runSmall(await outdated(), argv)
    expect(stdout).toContain('    - For basic, complete and none.\n')
    expect(stdout).not.toContain('For none with PostgreSQL')
  })

  it('are complete as JSON', async () => {
    const memory = await outdated()
    const version = packageJson.version
    const release = {
      from: '0.1.0',
      to: version,
      changes: [
        { version, kind: 'Added', text: 'For every project. Its second sentence, with `code`.' },
        { version, kind: 'Added', text: 'For basic, complete and none.' },
        {
          version,
          kind: 'Security',
          text: 'A file `a.db` has mode 0600: it was readable in v1.2. 3 others read it.',
        },
      ],
    }
    expect(jsonOf(await runSmall(memory, ['status', '--json'])).release).toEqual(release)
    expect(jsonOf(await runSmall(memory, ['regenerate', '--check', '--json'])).release).toEqual(release)
  })

  it('are not shown if this version generated the project', async () => {
    const memory = await smallProject({ '/CHANGELOG.md': CHANGELOG })
    expect(jsonOf(await runSmall(memory, ['status', '--json'])).release).toBe(null)
    expect((await runSmall(memory, ['status'])).stdout).not.toContain('→')
  })
})

describe('CHANGELOG.md', () => {
  const entries = readChangelog(fs.readFileSync('CHANGELOG.md', 'utf8'))

  it('has entries of this version, each once', () => {
    const texts = entries.filter(({ version }) => version === packageJson.version).map(({ text }) => text)
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([])
  })

  it('marks entries with layers only', () => {
    const words = entries.flatMap(({ layers }) => layers.flatMap((layer) => layer.split('+')))
    expect(words.filter((word) => word !== COMMAND && !WORDS.has(word))).toEqual([])
  })

  it('has no kind of change that a report would leave out', () => {
    const kinds = ['Security', 'Removed', 'Deprecated', 'Changed', 'Fixed', 'Added']
    expect(entries.filter(({ kind }) => !kinds.includes(kind))).toEqual([])
  })
})
