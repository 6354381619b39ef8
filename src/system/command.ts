/**
 * How a user runs this generator, in everything that is printed and generated: the command of a linked clone. The name is
 * not on npm before the first release, and whoever registered it there would be run.
 */
export const COMMAND = 'create-authsmith'
