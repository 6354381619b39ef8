import { createRequire } from 'node:module'
import { join } from 'node:path'

/** @typedef {{ users: number, sessionsPerUser: number }} Size */

/**
 * Fills the existing tables of a service of mode complete on PostgreSQL with users, sessions, used codes, sent mails
 * and counts.
 * @param {string} project a project with the pg driver
 * @param {string} url
 * @param {'A' | 'B'} profile
 * @param {Size} size
 */
export async function fill(project, url, profile, { users, sessionsPerUser }) {
  const { Client } = createRequire(join(project, 'package.json'))('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  const sessions = users * sessionsPerUser
  // 99 % expire within the next day. 1 % have expired, for the clean-up to find.
  const expiry = `now() + CASE WHEN n % 100 = 0 THEN interval '-1 hour' ELSE interval '1 day' * (n % 1000 + 1) / 1000 END`
  const hash = (/** @type {string} */ kind) => `encode(sha256(('${kind}' || n)::bytea), 'hex')`
  try {
    for (const statement of [
      // Exclude these statements from the plans, because they are not queries of the service.
      'SET auto_explain.log_min_duration = -1',
      'SET synchronous_commit = off',
      `INSERT INTO users (email, username, hashed_password, created_at)
       SELECT 'filler' || n || '@example.com', 'filler' || n, '$argon2id$v=19$m=19456,t=2,p=1$' || ${hash('salt')}, now()
       FROM generate_series(1, ${users}) n`,
      profile === 'A'
        ? `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at)
           SELECT (SELECT min(id) FROM users) + n % ${users}, ${hash('session')}, 'refresh', ${expiry}, now()
           FROM generate_series(1, ${sessions}) n`
        : `INSERT INTO refresh_tokens (user_id, token, expires_at, ip_address, user_agent, created_at)
           SELECT (SELECT min(id) FROM users) + n % ${users}, ${hash('session')}, ${expiry}, '192.0.2.1', 'filler', now()
           FROM generate_series(1, ${sessions}) n`,
      profile === 'A'
        ? `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at)
           SELECT (SELECT min(id) FROM users) + n, ${hash('code')}, 'verification', ${expiry}, now()
           FROM generate_series(0, ${users - 1}) n`
        : `INSERT INTO verification_codes (user_id, code, code_type, expires_at, is_used, created_at)
           SELECT (SELECT min(id) FROM users) + n, ${hash('code')}, 'email_verification', ${expiry}, true, now()
           FROM generate_series(0, ${users - 1}) n`,
      // Sent mails of one week. 1 % are old enough for the clean-up.
      `INSERT INTO outbox (message_id, recipient, subject, template, created_at, attempts, next_attempt_at, sent_at)
       SELECT '<' || n || '@filler>', 'filler' || n || '@example.com', 'Welcome', 'welcome', at, 1, at, at
       FROM generate_series(1, ${users}) n,
         LATERAL (SELECT now() - interval '1 day' * CASE WHEN n % 100 = 0 THEN 8 ELSE 7.0 * n / ${users + 1} END AS at) moment`,
      // Mails that wait for another attempt, as after an outage of the mail server.
      `INSERT INTO outbox (message_id, recipient, domain, subject, template, priority, created_at, attempts, next_attempt_at)
       SELECT '<waiting' || n || '@filler>', 'filler' || n || '@example.com', 'example.com', 'Welcome', 'welcome', n % 3, now(), 1,
         now() + interval '1 day' FROM generate_series(1, ${users}) n`,
      `INSERT INTO attempts (key, account, count, ends_at)
       SELECT ${hash('key')}, ${hash('account')}, 1, ${expiry} FROM generate_series(1, ${users}) n`,
      `INSERT INTO mail_requests (kind, email, created_at)
       SELECT 'reset', 'filler' || n || '@example.com', now() - interval '2 hours' FROM generate_series(1, 10000) n`,
      `INSERT INTO email_changes (user_id, email, token, expires_at, max_expires_at)
       SELECT (SELECT min(id) FROM users) + n, 'former' || n || '@example.com', ${hash('undo')}, ${expiry}, ${expiry}
       FROM generate_series(0, ${users - 1}) n`,
      `INSERT INTO retired_names (hash) SELECT ${hash('name')} FROM generate_series(1, ${users}) n`,
      'VACUUM ANALYZE',
    ]) {
      await client.query(statement)
    }
  } finally {
    await client.end()
  }
}

/**
 * Adds mails that are due, as after an outage of the service: as many as users, at most a million, and as many
 * to one domain.
 * @param {string} project a project with the pg driver
 * @param {string} url
 * @param {Size} size
 */
export async function fillBacklog(project, url, { users }) {
  const { Client } = createRequire(join(project, 'package.json'))('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of [
      'SET auto_explain.log_min_duration = -1',
      `INSERT INTO outbox (message_id, recipient, domain, subject, template, priority, created_at, next_attempt_at)
       SELECT '<due' || n || '@filler>', 'due' || n || '@example.com', 'domain' || n % 1000 || '.example', 'Welcome', 'welcome', n % 3,
         now(), now() - interval '1 second' * n / 1000 FROM generate_series(1, ${Math.min(users, 1_000_000)}) n`,
      // A domain whose mail server hangs. Its mails are due before all others.
      `INSERT INTO outbox (message_id, recipient, domain, subject, template, priority, created_at, next_attempt_at)
       SELECT '<busy' || n || '@filler>', 'busy' || n || '@busy.example', 'busy.example', 'Welcome', 'welcome', n % 3, now(),
         now() - interval '1 day' FROM generate_series(1, ${Math.min(users, 1_000_000)}) n`,
      'ANALYZE outbox',
    ])
      await client.query(statement)
  } finally {
    await client.end()
  }
}
