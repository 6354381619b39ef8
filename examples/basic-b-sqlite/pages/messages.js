/**
 * The texts of the scripts for all pages. The sentences of one form are `data-` attributes in its .html file. To translate
 * these, put a copy into the folder of your language, such as pages/de/messages.js.
 */
export const messages = {
  unreachable: 'The service could not be reached. Check your internet connection, then try again.',
  invalid: 'Some of the input is not valid. Check the form, then try again.',
  tooManyAttempts: (seconds) => `Too many attempts. Wait ${inWords(seconds)}, then try again.`,
  busy: (seconds) => `The service is busy. Wait ${inWords(seconds)}, then try again. Nothing is lost.`,
  failed:
    'Something went wrong in the service. Try again in a few minutes. If that does not help, contact its operator.',

  mailRequested: (seconds) =>
    `You have just requested an email. You can request the next one in ${inWords(seconds)}.`,
  codeRefused:
    'This code is not valid. Check the newest email. A code works once, expires, and is replaced by a newer one.',

  show: 'Show',
  hide: 'Hide',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  ruleMet: ' (done)',
  rulesMet: 'The password meets all rules.',
  rulesNotMet: (count) => `Rules not met yet: ${count}.`,
  rulesRefused: 'The password does not meet the rules below.',

  /** Errors and password rules by code. A rule without a text here is shown with the text of the service. */
  byCode: {
    registration_closed: 'Registration is closed. Only the operator of this service can create accounts.',
    user_not_verified: 'Confirm your email address first, with the email that we sent you. Then log in.',
  },
}

/** @param {number} seconds 0 if unknown */
function inWords(seconds) {
  if (!(seconds > 0)) return 'a minute'
  if (seconds === 1) return 'a second'
  return seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
}
