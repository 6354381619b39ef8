/** Settings for a mail server, by default on this machine. */
export const smtpSettings = (port: number, host = '127.0.0.1') => ({
  SMTP_HOST: host,
  SMTP_PORT: String(port),
})

/** The variables of each template. */
export const templateVariables = {
  verification_email: ['app_name', 'verification_url'],
  reset_password_email: ['reset_url'],
  password_changed: ['username'],
  email_changed: ['username'],
  new_login: ['username', 'time', 'address'],
}
