import { execFileSync } from 'node:child_process'
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { run } from '../../../src/system/run.ts'
import type { System } from '../../../src/system/system.ts'
import { deletedBetween } from '../../../src/tools/git.ts'

it('what commits deleted is named as in the project, which may be a folder of the repository', async () => {
  const repository = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-git-'))
  try {
    const project = join(repository, 'api')
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
        cwd: repository,
        encoding: 'utf8',
        // A configuration that signs commits would ask for a key.
        env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
      }).trim()
    nodeFs.mkdirSync(project)
    for (const path of ['other.ts', 'api/ä "b".ts', 'api/kept.ts'])
      nodeFs.writeFileSync(join(repository, path), path)
    git('init', '--quiet')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'one')
    git('rm', '--quiet', 'other.ts', 'api/ä "b".ts')
    git('commit', '--quiet', '--message', 'two')
    const between = async (older: string) => {
      const system = { run, env: {}, signal: new AbortController().signal } as unknown as System
      return [...(await deletedBetween(system, project, older, git('rev-parse', 'HEAD')))].filter(Boolean)
    }
    expect(await between(git('rev-parse', 'HEAD~1'))).toEqual(['ä "b".ts'])
    expect(await between('0'.repeat(40))).toEqual([])
  } finally {
    nodeFs.rmSync(repository, { recursive: true, force: true })
  }
})
