import './simplewebauthn.js'
import { textOf } from './texts.js'

const library = globalThis.SimpleWebAuthnBrowser

/** Whether this browser has passkeys. */
export const hasPasskeys = () => library.browserSupportsWebAuthn()

/** Whether it offers them in a field. @returns {Promise<boolean>} */
export const hasAutofill = () => library.browserSupportsWebAuthnAutofill()

/**
 * Lets the user's device create a passkey.
 * @param {object} asked the outcome of the request for options
 * @returns {Promise<object>} an outcome, whose answer is the credential
 */
export const createPasskey = (asked) => signed(asked, library.startRegistration)

/**
 * Lets the user's device sign with a passkey.
 * @param {object} asked the outcome of the request for options
 * @param {{ useBrowserAutofill?: boolean }} [how] useBrowserAutofill: waits until the user chooses one in a field
 * @returns {Promise<object>} an outcome, whose answer is the credential
 */
export const usePasskey = (asked, how) =>
  signed(asked, (options) => library.startAuthentication({ ...options, ...how }))

async function signed(asked, sign) {
  if (!asked.ok) return asked
  try {
    return { ...asked, answer: await sign({ optionsJSON: asked.answer.options }) }
  } catch ({ code }) {
    // Browsers do not tell whether the user cancelled or has no passkey here.
    const isKnown = code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED'
    return { ...asked, ok: false, code: isKnown ? 'passkey_known' : '', sentence: textOf('passkey-unused') }
  }
}

/**
 * Tells the browser which passkeys are gone, so that it no longer offers them. Not all browsers can be told.
 * @param {'signalUnknownCredential' | 'signalAllAcceptedCredentials'} name
 * @param {object} signal
 */
export const tellBrowser = (name, signal) => globalThis.PublicKeyCredential?.[name]?.(signal).catch(() => {})
