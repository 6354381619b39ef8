/** Settings for a mail server, by default on this machine. */
export const smtpSettings = (port: number, host = '127.0.0.1') => ({
  SMTP_HOST: host,
  SMTP_PORT: String(port),
})

/** The variables of each template, besides those of src/settings/server.ts. */
export const templateVariables = {
  verification_email: ['verification_url'],
  reset_password_email: ['reset_url'],
  confirm_email_change: ['username', 'verification_url', 'expiration_minutes'],
  confirm_former_email: ['username', 'verification_url', 'expiration_minutes'],
  undo_email_change: ['username', 'undo_url'],
  email_restored: ['username', 'reset_url', 'expiration_minutes'],
  email_change_requested: ['username', 'new_email'],
  password_changed: ['username'],
  email_changed: ['username'],
  new_login: ['username', 'time', 'address'],
}
