import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'

// Runs before each file of tests that uses packages of generated projects.
const ready = inject('ready')
while (!existsSync(ready)) await delay(100)
const error = readFileSync(ready, 'utf8')
if (error) throw new Error(`The packages of generated projects could not be installed: ${error}`)
