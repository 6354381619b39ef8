import { basicSuite } from '../suites/basic.ts'

basicSuite('B', 'postgres')
