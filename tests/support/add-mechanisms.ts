// Adds the tests of mechanisms to a created project: npx tsx tests/support/add-mechanisms.ts <folder>
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { planOf } from '../../src/blueprints/layers.ts'
import { parseManifest } from '../../src/project/manifest.ts'
import { addMechanisms } from './mechanisms.ts'

const [folder = ''] = process.argv.slice(2)
const { answers } = parseManifest(readFileSync(join(folder, '.authsmith/manifest.json'), 'utf8'))
addMechanisms(folder, planOf(answers))
