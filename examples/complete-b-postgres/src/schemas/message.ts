import { z } from 'zod'

/** An answer that says one fixed thing. */
export const message = <const Text extends string>(text: Text) => z.object({ message: z.literal(text) })
