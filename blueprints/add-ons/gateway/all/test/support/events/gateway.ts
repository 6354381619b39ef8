import type { Actions } from '../events.ts'
import { basic, introspect } from '../gateway.ts'

const actions: Actions = {
  'introspection.refused': (app) => introspect(app, { token: 'x' }, basic('nobody', 'x')),
}

export default actions
