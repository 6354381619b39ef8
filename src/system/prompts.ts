import type * as inquirer from './inquirer.ts'

/** The prompts that the generator uses. */
export type Prompts = Pick<typeof inquirer, 'input' | 'select'>
