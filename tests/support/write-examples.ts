import { join } from 'node:path'
import fs from 'fs-extra'
import { renderExamples, writeExamples } from './examples.ts'
import { renderSettings } from './settings.ts'

for (const [path, text] of await renderSettings(fs, 'blueprints'))
  fs.writeFileSync(join('blueprints', path), text)
const changed = writeExamples(fs, 'examples', renderExamples(fs, 'blueprints'))
console.log(changed.length === 0 ? 'examples/ is fresh' : changed.join('\n'))
