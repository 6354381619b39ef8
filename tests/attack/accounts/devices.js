import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** @typedef {import('./model/step.js').Action} Action */
/** @typedef {ReturnType<typeof newDevice>} Device */

/** Flags of authenticator data (WebAuthn Level 3, section 6.1): the user is present and verified, the key is backed up. */
const usualFlags = 0x1d
const hasKey = 0x40

/** @param {string | Buffer} data */
const sha256 = (data) => createHash('sha256').update(data).digest()

/** A byte string in CBOR (RFC 8949). @param {Buffer} bytes */
const cborBytes = (bytes) =>
  Buffer.concat([
    bytes.length < 256
      ? Buffer.from([0x58, bytes.length])
      : Buffer.from([0x59, bytes.length >> 8, bytes.length & 255]),
    bytes,
  ])

function newDevice() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const [left, right] = [x, y].map((text) => cborBytes(Buffer.from(text, 'base64url')))
  // COSE (RFC 9053): {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const start = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21])
  const key = Buffer.concat([
    start,
    /** @type {Buffer} */ (left),
    Buffer.from([0x22]),
    /** @type {Buffer} */ (right),
  ])
  return { id: randomBytes(16), key, privateKey, handle: '' }
}

/** Devices with a passkey each, by name. They sign whatever they are asked, also for thieves. */
export class Devices {
  /** @type {Map<string, Device>} */
  #all = new Map()

  /** @param {string} origin of the pages that ask */
  constructor(origin) {
    this.origin = origin
  }

  /** @param {string} name */
  get(name) {
    const device = this.#all.get(name) ?? newDevice()
    this.#all.set(name, device)
    return device
  }

  /** The answer to the options of a new passkey, without attestation. @param {Action} action */
  create({ device: name, challenge, counter = 0 }) {
    const device = this.get(name)
    const length = Buffer.from([0, device.id.length])
    const data = Buffer.concat([this.#data(counter, hasKey), Buffer.alloc(16), length, device.id, device.key])
    // {"fmt": "none", "attStmt": {}, "authData": data}
    const parts = [Buffer.from('\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData', 'latin1'), cborBytes(data)]
    return this.#credential(device, {
      clientDataJSON: this.#clientData('webauthn.create', challenge).toString('base64url'),
      attestationObject: Buffer.concat(parts).toString('base64url'),
    })
  }

  /** The answer to the options of a login or of a confirmation. @param {Action} action */
  sign({ device: name, challenge, counter = 0 }) {
    const device = this.get(name)
    const clientData = this.#clientData('webauthn.get', challenge)
    const data = this.#data(counter)
    const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), device.privateKey)
    return this.#credential(device, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      ...(device.handle && { userHandle: device.handle }),
    })
  }

  /** @param {Device} device @param {object} response */
  #credential(device, response) {
    const id = device.id.toString('base64url')
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  /** @param {string} type @param {string} challenge */
  #clientData(type, challenge) {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }))
  }

  /** @param {number} counter @param {number} [more] flags */
  #data(counter, more = 0) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(new URL(this.origin).hostname), Buffer.from([usualFlags | more]), count])
  }
}
