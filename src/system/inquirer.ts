// A dynamic import of the package itself would bundle all of its prompts (630 kB instead of 45 kB).
export { checkbox, input, select } from '@inquirer/prompts'
