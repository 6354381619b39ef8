import { join } from 'node:path'
import fs from 'fs-extra'
import { ADD_ON_PAGES, withAddOnRows } from './add-on-pages.ts'
import { renderExamples, writeExamples } from './examples.ts'
import { renderSettings } from './settings.ts'

for (const [path, text] of await renderSettings(fs, 'blueprints'))
  fs.writeFileSync(join('blueprints', path), text)
for (const page of Object.keys(ADD_ON_PAGES))
  fs.writeFileSync(page, withAddOnRows(page, fs.readFileSync(page, 'utf8')))
const changed = writeExamples(fs, 'examples', renderExamples(fs, 'blueprints'))
console.log(changed.length === 0 ? 'examples/ is fresh' : changed.join('\n'))
