import { completeSuite } from '../suites/complete.ts'

completeSuite('B', 'postgres')
