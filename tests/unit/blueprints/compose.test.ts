import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

const examples = join(import.meta.dirname, '../../../examples')

const containersOf = (file: string) =>
  (file.split(/^(?:services|networks):$/m)[1] ?? '').split(/^ {2}(?=\w+:$)/m).flatMap((text) => {
    const [, name] = /^(\w+):$/m.exec(text) ?? []
    return name === undefined ? [] : [[name, text] as const]
  })

/** Docker cannot run in the tests, so they read compose.yaml of each variant. */
describe.each([...exampleAnswers()])('compose.yaml of %s', (variant, answers) => {
  const file = readFileSync(join(examples, variant, 'compose.yaml'), 'utf8')
  const [, networks = ''] = file.split(/^networks:$/m)
  const containers = Object.fromEntries(containersOf(file))
  /** Those of compose.redis.yaml and the like, but for what they add to containers of compose.yaml. */
  const added = readdirSync(join(examples, variant))
    .filter((name) => /^compose\..+\.yaml$/.test(name))
    .flatMap((name) => containersOf(readFileSync(join(examples, variant, name), 'utf8')))
    .filter(([name]) => !(name in containers))

  test('every container has a read-only root, no privileges, and limits for memory and processes', () => {
    expect(Object.keys(containers)).toEqual(expect.arrayContaining(['app', 'caddy']))
    for (const [name, text] of [...Object.entries(containers), ...added]) {
      expect(text, name).toContain('\n    read_only: true\n')
      expect(text, name).toContain('\n    cap_drop: [ALL]\n')
      expect(text, name).toContain('\n    security_opt: ["no-new-privileges:true"]\n')
      expect(text, name).toMatch(/\n {4}mem_limit: \d+[gm]\n/)
      expect(text, name).toMatch(/\n {4}pids_limit: \d+\n/)
      // Compose copies these into the container, which fails if its root is read-only.
      expect(text, name).not.toMatch(/\n {4}(configs|secrets):/)
    }
  })

  test('Caddy reads its file also after a checkout with umask 077', () => {
    const compose = renderOnce(planOf(answers)).get('compose.yaml')
    const { caddy = '' } = Object.fromEntries(containersOf(compose ?? ''))
    expect(caddy).toContain('- ./Caddyfile:/etc/caddy/Caddyfile:ro\n')
    // Root without capabilities is refused as any other account.
    expect(caddy).toMatch(/\n {4}cap_add: \[NET_BIND_SERVICE, DAC_OVERRIDE\]\n/)
  })

  test('only Caddy is reachable from other machines, and only on IPv4', () => {
    const published = [...Object.entries(containers), ...added].flatMap(([name, text]) =>
      [...text.matchAll(/^ {6}- "([\d.:]+:\d+)"$/gm)].map(([, port]) => `${name} ${port}`),
    )
    expect(published.filter((port) => !port.includes(' 127.0.0.1:'))).toEqual([
      'caddy 0.0.0.0:80:80',
      'caddy 0.0.0.0:443:443',
    ])
    expect(containers.app).not.toMatch(/^ *ports:/m)
  })

  test('the service trusts the address of Caddy, which no other container gets', () => {
    const [, trusted] = /\n {6}TRUST_PROXY: (.+)\n/.exec(containers.app ?? '') ?? []
    expect(trusted).toBe('10.213.77.2')
    expect(containers.caddy).toContain(`\n        ipv4_address: ${trusted}\n`)
    expect(networks).toContain('subnet: 10.213.77.0/24\n')
    expect(networks).toContain('ip_range: 10.213.77.128/25\n')
    for (const [name, text] of Object.entries(containers))
      expect(/networks:.*\bproxy\b/s.test(text), name).toBe(['app', 'caddy'].includes(name))
  })
})
