import { z } from 'zod'
import { storedUser } from './stored-user.ts'

/** All that is stored about a user, except secrets. */
export const accountExport = z.object({ user: storedUser }).meta({ id: 'AccountExport' })
