import type { Addition } from '../context.ts'
import { relyingParty } from '../passkeys/relying-party.ts'

/** Settings that no browser accepts stop the start. */
export const passkeys: Addition = ({ config }) => {
  relyingParty(config)
}
