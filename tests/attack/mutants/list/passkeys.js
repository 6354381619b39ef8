/** The add-on passkeys. @type {import('../mutant.js').Mutant[]} */
export const passkeys = []
