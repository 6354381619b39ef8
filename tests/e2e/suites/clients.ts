import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { run, succeed } from '../../support/command.ts'
import { createLinked, type Report } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { newDatabase } from '../harness/database.ts'
import { startService } from '../harness/service.ts'
import { isWhole } from '../variants/every-run.ts'
import { fetchUsage, heyUsage } from './client-usage.ts'

/** Linters of OpenAPI documents and generators of clients. Installed here, because only these tests need them. */
const PACKAGES = [
  '@redocly/cli@~2.77.0',
  '@stoplight/spectral-cli@~6.16.3',
  'openapi-typescript@~7.13.0',
  'openapi-fetch@~0.17.0',
  '@hey-api/openapi-ts@~0.95.0',
  'typescript@~5.9.3',
  '@types/node@^20.19.43',
]

const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

const TSCONFIG = {
  compilerOptions: { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', skipLibCheck: false },
}

const VARIANTS = (
  [
    ['complete', 'A'],
    ['basic', 'B'],
    ['complete', 'B'],
    ['basic', 'A'],
    ['none', ''],
  ] as const
).slice(0, isWhole ? undefined : 2)

/**
 * Clients that are generated from the OpenAPI document of each variant, and linters of these documents.
 * @param installed a project of mode complete, profile A
 */
export function clientsSuite(installed: () => Report): void {
  let tools: string
  const documents = () => VARIANTS.map(([mode, profile]) => `${mode}${profile}.json`)
  const tool = (name: string, ...args: string[]) =>
    run(join(tools, 'node_modules/.bin', name), args, { cwd: tools, env: QUIET })

  /** Starts the sources of a project. */
  async function serve(mode: string, profile: string) {
    const answers = [
      'my-api',
      '--mode',
      mode,
      '--yes',
      '--no-git',
      ...(profile ? ['--profile', profile] : []),
    ]
    const isInstalled = mode === 'complete' && profile === 'A'
    const project = isInstalled ? installed() : await createLinked(newFolder(), answers)
    const { env } = await newDatabase(project)
    return startService({
      cwd: project.directory,
      env,
      command: ['node_modules/.bin/tsx', 'src/server.ts'],
    })
  }

  beforeAll(async () => {
    tools = newFolder()
    writeFileSync(join(tools, 'package.json'), '{ "private": true, "type": "module" }\n')
    writeFileSync(join(tools, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    writeFileSync(join(tools, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES]
    await succeed('npm', install, { cwd: tools })
  })

  describe.each(VARIANTS)('mode %s %s', (mode, profile) => {
    test('are generated and work', async () => {
      const name = mode + profile
      const folder = join(tools, name)
      const document = join(tools, `${name}.json`)
      const service = await serve(mode, profile)
      try {
        mkdirSync(folder)
        const { body } = await service.get('/openapi.json')
        writeFileSync(document, JSON.stringify(body, null, 2))
        writeFileSync(join(folder, 'fetch.ts'), fetchUsage(mode, profile))
        writeFileSync(join(folder, 'hey.ts'), heyUsage(mode, profile))
        const generated = [
          await tool('openapi-typescript', document, '-o', join(folder, 'api.d.ts')),
          await tool('openapi-ts', '-i', document, '-o', join(folder, 'hey')),
        ]
        expect(generated).toEqual([
          expect.objectContaining({ code: 0 }),
          expect.objectContaining({ code: 0 }),
        ])
        const tsx = pathToFileURL(join(installed().directory, 'node_modules/tsx/dist/esm/index.mjs')).href
        for (const program of ['fetch.ts', 'hey.ts'])
          await succeed('node', ['--import', tsx, join(folder, program), service.url], { cwd: tools })
      } finally {
        await service.stop()
      }
    })
  })

  test('have the right types', async () => {
    expect(await tool('tsc', '-p', '.')).toMatchObject({ code: 0, stdout: '' })
  })

  test('have documents about which redocly reports nothing', async () => {
    // A redirect is a success too: spectral asks for either.
    const flags = ['--format=json', '--skip-rule=operation-2xx-response']
    const { code, stdout } = await tool('redocly', 'lint', ...flags, ...documents())
    expect(stdout.match(/"problems": \[\]/g), stdout).toHaveLength(VARIANTS.length)
    expect(code).toBe(0)
  })

  test('have documents about which spectral reports nothing', async () => {
    const flags = ['--format=json', '--quiet', '--fail-severity=hint']
    const { code, stdout } = await tool('spectral', 'lint', ...flags, ...documents())
    expect(JSON.parse(stdout)).toEqual([])
    expect(code).toBe(0)
  })
}
