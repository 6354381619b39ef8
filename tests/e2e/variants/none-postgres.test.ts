import { noneSuite } from '../suites/none.ts'

noneSuite('postgres')
