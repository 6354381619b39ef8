/** Settings for a mail server, by default on this machine. */
export const smtpSettings = (port: number, host = '127.0.0.1') => ({
  EMAIL_HOST: host,
  EMAIL_PORT: String(port),
})

/** The variables of each template. */
export const templateVariables = {
  verification: ['username', 'code', 'expiration_minutes'],
  password_reset: ['username', 'code', 'expiration_minutes'],
  welcome: ['username'],
  password_changed: ['username'],
  email_changed: ['username'],
  new_login: ['username', 'time', 'address'],
}
