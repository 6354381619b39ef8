import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { testConfig } from './settings.ts'

/** A device with one passkey, as a browser and its authenticator are together (WebAuthn Level 3). */

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest()
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

const present = 0x01
const verified = 0x04
const backedUp = 0x18
const attested = 0x40

/** What an attacker would change. */
interface Changes {
  origin?: string
  rpId?: string
  type?: string
  /** Without the PIN or the finger. */
  isUnverified?: boolean
  counter?: number
}

export class Authenticator {
  readonly id: Buffer
  counter = 0
  userHandle = ''
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly #origin = testConfig({}).server.frontendUrl

  constructor(id: Buffer = randomBytes(16)) {
    this.id = id
  }

  /** The answer to the options of a new passkey. */
  create(options: { challenge: string; user: { id: string } }, changes: Changes = {}) {
    this.userHandle = options.user.id
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' })
    const coordinate = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'))
    const key = new Map<number, number | Uint8Array>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as [number, number][]),
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ])
    const authData = Buffer.concat([
      this.#data(changes, attested),
      Buffer.alloc(16),
      Buffer.from([this.id.length >> 8, this.id.length & 0xff]),
      this.id,
      isoCBOR.encode(key),
    ])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.#credential({
      clientDataJSON: base64url(this.#clientData('webauthn.create', options.challenge, changes)),
      attestationObject: base64url(isoCBOR.encode(attestation as never)),
      transports: ['internal'],
    })
  }

  /** The answer to the options of a login, or of what asks for a passkey instead of a code. */
  get({ challenge }: { challenge: string }, changes: Changes = {}) {
    if (this.counter > 0) this.counter += 1
    const clientData = this.#clientData('webauthn.get', challenge, changes)
    const data = this.#data(changes)
    return this.#credential({
      clientDataJSON: base64url(clientData),
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', Buffer.concat([data, sha256(clientData)]), this.#keys.privateKey)),
      userHandle: this.userHandle,
    })
  }

  #credential<Response>(response: Response) {
    const id = base64url(this.id)
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(usual: string, challenge: string, { type = usual, origin = this.#origin }: Changes) {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  }

  #data({ rpId = new URL(this.#origin).hostname, isUnverified, counter = this.counter }: Changes, more = 0) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags = present | backedUp | more | (isUnverified ? 0 : verified)
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count])
  }
}
