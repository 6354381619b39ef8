import { completeSuite } from '../suites/complete.ts'

completeSuite('A', 'postgres', true)
