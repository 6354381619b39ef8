/** Settings for a mail server, by default on this machine. */
export const smtpSettings = (port: number, host = '127.0.0.1') => ({
  EMAIL_HOST: host,
  EMAIL_PORT: String(port),
})

/** The variables of each template, besides those of src/settings/server.ts. */
export const templateVariables = {
  verification: ['username', 'code', 'verification_url', 'expiration_minutes'],
  password_reset: ['username', 'code', 'reset_url', 'expiration_minutes'],
  confirm_email_change: ['username', 'code', 'verification_url', 'expiration_minutes'],
  confirm_former_email: ['username', 'code', 'verification_url', 'expiration_minutes'],
  undo_email_change: ['username', 'code', 'undo_url'],
  email_restored: ['username', 'code', 'reset_url', 'expiration_minutes'],
  email_change_requested: ['username', 'new_email'],
  welcome: ['username'],
  password_changed: ['username'],
  email_changed: ['username'],
  new_login: ['username', 'time', 'address'],
}
