import { type CopyResult, copyRows, refuseRows } from '../../../src/copy/copy.ts'
import type { Source, Target } from '../../../src/copy/database.ts'
import type { CopyTestTarget } from './target.ts'

/** Copies all rows and commits, as the command does. `change` may wrap the target to inject failures. */
export async function copyAll(
  source: Source,
  database: CopyTestTarget,
  skip: string[] = [],
  change: (target: Target) => Target = (target) => target,
): Promise<CopyResult> {
  const target = change(await database.open())
  try {
    await target.begin()
    await refuseRows(target, new Set(skip))
    const result = await copyRows(source, target, { skip: new Set(skip), progress: () => {} })
    await target.commit()
    return result
  } finally {
    await target.close()
  }
}
