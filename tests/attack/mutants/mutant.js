/**
 * A service without one of its defences.
 * @typedef {object} Mutant
 * @property {string} name the attack that becomes possible
 * @property {string} file the file with the defence
 * @property {string} from text with the defence, which occurs once in the file
 * @property {string} to the text without it, which must still run: a test has to fail, not the compiler
 * @property {string[]} tests the tests that have to fail, as paths in test/ without `.test.ts`
 * @property {boolean} [inEveryRun] `npm test` runs it too: one of each area. `npm run attack` runs all
 * @property {RegExp} [variants] the variants that have the defence; default: all with accounts that have the file
 * @property {string} [without] a file of an add-on that has another defence in its place
 */

const accounts = /^(basic|complete)/

/**
 * The mutants of one variant.
 * @param {Mutant[]} mutants
 * @param {string} variant
 * @param {(path: string) => boolean} exists whether the variant has a file
 */
export const mutantsOf = (mutants, variant, exists) =>
  mutants.filter(
    ({ file, variants = accounts, without }) =>
      variants.test(variant) && exists(file) && !(without && exists(without)),
  )

/**
 * Removes the defence from the text of its file.
 * @param {Mutant} mutant
 * @param {string} text
 * @throws Error if the text does not have the defence exactly once: the mutant would prove nothing
 */
export function mutate({ name, file, from, to }, text) {
  const parts = text.split(from)
  if (parts.length !== 2) throw new Error(`"${name}": ${file} contains ${parts.length - 1} times: ${from}`)
  return parts.join(to)
}

/**
 * The test files of a mutant that a variant has.
 * @param {Mutant} mutant
 * @param {(path: string) => boolean} exists
 * @throws Error if it has none
 */
export function testsOf({ name, tests }, exists) {
  const files = tests.map((test) => `test/${test}.test.ts`).filter(exists)
  if (files.length === 0) throw new Error(`"${name}": no such test: ${tests.join(', ')}`)
  return files
}
