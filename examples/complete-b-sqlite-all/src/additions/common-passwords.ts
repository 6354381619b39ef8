import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Addition } from '../context.ts'
import { ApiError } from '../errors/api-error.ts'
import type { ProposedPassword } from '../passwords/rules.ts'

/** No password may contain one of these. Add the names of your organization and products (ASVS 5.0 section 6.1.2). */
const contextWords = ['my-api']

/** More digits and symbols than this around a common word are hard to guess. */
const maxAround = 6

/** Letters that people replace in a word. */
const letterOf: Partial<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '!': 'i',
  '1': 'i',
  '0': 'o',
  $: 's',
  '5': 's',
  '7': 't',
}

/**
 * Refuses common passwords, wherever one is set: attackers try them and the user's names first, and `Password1!` meets
 * every rule (NIST SP 800-63B-4 section 3.1.1.2).
 */
export const commonPasswords: Addition = async ({ credentials, config }) => {
  const refuseCommon = await createBlocklist(config.commonPasswords)
  const { validateNew } = credentials
  credentials.validateNew = (proposed) => {
    validateNew(proposed)
    refuseCommon(proposed)
  }
}

/** The list of PASSWORD_BLOCKLIST. @returns a function that throws ApiError password_too_common */
export async function createBlocklist(
  { blocklist }: Config['commonPasswords'],
  words: readonly string[] = contextWords,
) {
  if (blocklist === 'none') return () => {}
  const list = await readFile(new URL('common-passwords.txt', import.meta.url), 'utf8')
  const common = new Set(list.split(/\r?\n/).filter((line) => line !== ''))

  return ({ password, user, field }: ProposedPassword): void => {
    const text = comparable(password)
    const hasName = containsOne([...namesOf(user), ...words], text)
    if (!hasName && !formsOf(text).some((form) => common.has(form))) return
    const code = 'password_too_common'
    throw new ApiError(code, { fields: [{ field, code, message: 'Password is too common' }] })
  }
}

/** NFKC, because people and attackers write a common password in full-width or mathematical letters too. */
const comparable = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The username, and the local part of the email without its +tag. */
function namesOf({ username, email }: ProposedPassword['user']): string[] {
  const [localPart = ''] = email.split(/[+@]/)
  return [username, localPart]
}

/** Whether a text contains one of the words, whatever symbols are in between. One of two letters says nothing. */
const containsOne = (words: string[], text: string): boolean =>
  words
    .map((word) => withoutSymbols(comparable(word)))
    .some((word) => word.length >= 3 && withoutSymbols(text).includes(word))

/** The forms in which a password is looked up: `p@ssw0rd!1` as it is, as `pssw0rd1`, and as the word `password`. */
function formsOf(text: string): string[] {
  const word = text.replace(/^\P{L}+|\P{L}+$/gu, '')
  const forms = [text, withoutSymbols(text)]
  if (text.length - word.length <= maxAround)
    forms.push(withoutSymbols(word.replace(/./gu, (sign) => letterOf[sign] ?? sign)))
  return forms
}

const withoutSymbols = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, '')
