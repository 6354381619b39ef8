import type nodeFs from 'node:fs'

/** What the steps need of `node:fs`. Tests pass memfs. */
export type FileSystem = Pick<
  typeof nodeFs,
  | 'chmodSync'
  | 'closeSync'
  | 'existsSync'
  | 'fsyncSync'
  | 'lstatSync'
  | 'mkdirSync'
  | 'mkdtempSync'
  | 'openSync'
  | 'readdirSync'
  | 'readFileSync'
  | 'renameSync'
  | 'rmdirSync'
  | 'rmSync'
  | 'statSync'
  | 'writeFileSync'
>
