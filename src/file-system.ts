import type nodeFs from 'node:fs'

/** What the steps need of `node:fs`. Tests pass memfs. */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'existsSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'writeFileSync'
>
