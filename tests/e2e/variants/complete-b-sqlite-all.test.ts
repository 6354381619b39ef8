import { completeSuite } from '../suites/complete.ts'

completeSuite('B', 'sqlite', true)
