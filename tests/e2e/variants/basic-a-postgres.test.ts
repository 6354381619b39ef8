import { basicSuite } from '../suites/basic.ts'

basicSuite('A', 'postgres')
