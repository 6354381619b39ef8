import './confirm-linked-account.js'
import { offerPasskey } from './passkey-proof.js'
import { call } from './session.js'

for (const form of document.querySelectorAll('#link-account, #unlink-account'))
  offerPasskey(form, (path) => call('POST', path))
