import fs from 'fs-extra'
import { renderExamples, writeExamples } from './examples.ts'

const changed = writeExamples(fs, 'examples', renderExamples(fs, 'blueprints'))
console.log(changed.length === 0 ? 'examples/ is fresh' : changed.join('\n'))
