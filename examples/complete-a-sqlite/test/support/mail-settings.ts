/** Settings for a mail server on this machine. */
export const smtpSettings = (port: number) => ({ SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port) })

/** The variables of each template. */
export const templateVariables = {
  verification_email: ['app_name', 'verification_url'],
  reset_password_email: ['reset_url'],
  password_changed: ['username'],
  email_changed: ['username'],
}
