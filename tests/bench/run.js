// npm run bench: measures the documented figures as ratios within one run. Not part of the tests.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureCommand } from './command.js'
import { measureService } from './service.js'

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))
try {
  const figures = [...measureCommand(scratch), ...(await measureService(scratch))]
  const width = Math.max(...figures.map(({ what }) => what.length))
  console.log(`\nnode ${process.version}, ${process.platform} ${process.arch}`)
  for (const { what, value, goal } of figures) {
    console.log(`${what.padEnd(width)}  ${value}${goal ? `  (goal: ${goal})` : ''}`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
