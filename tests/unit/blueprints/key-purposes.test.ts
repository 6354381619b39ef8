// No endpoint signs, seals or encrypts a value of its caller, who could use it elsewhere as if the service had made it
// (better-auth CVE-2026-121802, CVE-2026-110864). Each purpose has its own derived key.
import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'

/** What may sign, hash with a key or encrypt, and what. No route, plugin or schema is among them. */
const WHAT: Record<string, string> = {
  'src/keys.ts': 'what its callers give to seal, which are listed here',
  'src/email/outbox.ts': 'the variables of an email, for the outbox; never in an answer',
  'src/email/smtp.ts': 'the challenge of the configured mail server (RFC 2195)',
  'src/email/tokens.ts': 'a random code, to find its row',
  'src/totp/secrets.ts': 'random secrets, for the database',
  'src/totp/codes.ts': 'the number of a step of 30 seconds, with the secret of an app',
  'src/sign-in/codes.ts': 'a random code, to find its row',
  'src/sessions/access-tokens.ts': 'claims of a row of users, with a type that nothing else has',
  'src/sessions/signers.ts': 'what access-tokens.ts gives',
  'src/sessions/key-signers.ts': 'what access-tokens.ts gives',
  'src/sessions/refresh-tokens.ts': 'the id of a session and random bits',
  'src/service-clients/tokens.ts': 'the name and scopes of a row of service_clients',
  'src/users/retired-names.ts': 'the name of a deleted user, to find its row',
  'src/passwords/foreign/prehashed-bcrypt.ts': 'a password, as WordPress does before its hash',
  'src/passwords/foreign/scrypt.ts': 'zeros, as Firebase does to compare a password',
}

const USE = /(?<!function )\b(?:createHmac|createCipheriv|seal|sign)\(/

/** A purpose that a file names: of deriveKeys, or of an addition. */
const PURPOSE = /\b(?:ring\(|deriveRing\([^,()]*(?:\([^()]*\))?[^,()]*, )'([^']+)'\)/g

const projects = [...exampleAnswers()].map(
  ([name, answers]) => [name, [...renderOnce(planOf(answers))].filter(([path]) => isSource(path))] as const,
)
function isSource(path: string): boolean {
  return path.startsWith('src/') && path.endsWith('.ts')
}

const purposesIn = (text: string) =>
  [...text.matchAll(PURPOSE)]
    .map(([, purpose = '']) => purpose)
    .filter((one) => !/^(base64|hex|utf8)/.test(one))

describe.each(projects)('%s', (_name, sources) => {
  it('signs, hashes with a key and encrypts only what is listed', () => {
    const unknown = sources.filter(([path, text]) => USE.test(text) && !(path in WHAT))
    expect(unknown.map(([path]) => path)).toEqual([])
  })

  it('has a key for each purpose', () => {
    const purposes = sources.flatMap(([, text]) => purposesIn(text))
    expect(purposes.filter((purpose, index) => purposes.indexOf(purpose) !== index)).toEqual([])
    const derivations = sources.filter(([, text]) => /\b(?:hkdfSync|deriveRing)\(/.test(text))
    const unnamed = derivations.filter(([, text]) => purposesIn(text).length === 0)
    expect(unnamed.map(([path]) => path)).toEqual([])
  })
})

it('the list has no file that is gone', () => {
  const paths = new Set(projects.flatMap(([, sources]) => sources.map(([path]) => path)))
  expect(Object.keys(WHAT).filter((path) => !paths.has(path))).toEqual([])
})

it('finds the purposes of all add-ons', () => {
  const all = new Map(projects).get('complete-b-sqlite-all') ?? []
  expect(all.flatMap(([, text]) => purposesIn(text)).toSorted()).toEqual([
    'email tokens',
    'emailed codes',
    'outbox',
    'refresh tokens',
    'session cookies',
    'totp',
  ])
})
