import type { Base } from '../../project/base.ts'
import type { Tree } from '../../project/tree.ts'
import type { Files } from '../../system/file-system.ts'
import { compare } from './compare.ts'
import { decide } from './decide.ts'
import type { UpdateFile } from './file.ts'

/** The three sides of an update. */
export interface Sides {
  /** The owner's project. */
  readonly tree: Tree
  /** What was generated last time. */
  readonly base: Base
  /** What is generated now. */
  readonly next: Files
  /** The name of the new variant, for conflict markers. */
  readonly label: string
  /** The files whose path changed in a newer version: old path → new path. */
  readonly released: Files
}

/** One step of a plan: changes the decisions about files, and reads nothing else. */
export type Pass = (files: readonly UpdateFile[], sides: Sides) => readonly UpdateFile[]

/** Decides about each file that is or was generated, and lets each pass change the decisions of those before it. */
export const runPasses = (sides: Sides, passes: readonly Pass[] = []): readonly UpdateFile[] =>
  passes.reduce(
    (files, pass) => pass(files, sides),
    compare(sides.tree, sides.base, sides.next).map(
      (file): UpdateFile => ({ ...file, decision: decide(file, sides.label) }),
    ) as readonly UpdateFile[],
  )
