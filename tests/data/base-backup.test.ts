import { expect, inject, onTestFinished, test } from 'vitest'
import { freshFiles } from './living-project.ts'
import { openPostgres } from './test-database.ts'

// A base backup has every table in full: the service would send mails again that were sent since.
test.each(['complete-a', 'complete-b'] as const)(
  'what docs/database.md of %s runs after the restore of a base backup leaves no mail to send',
  async (state) => {
    const files = freshFiles(state, 'postgres')
    const database = await openPostgres(inject('modules'))
    onTestFinished(() => database.remove())
    for (const [path, text] of files)
      if (/^migrations\/postgres\/\d+_.*\.sql$/.test(path)) await database.migrate(text)
    const mail = (id: string, sent: string, failed: string) =>
      `INSERT INTO outbox (message_id, recipient, subject, template, created_at, next_attempt_at, sent_at, failed_at)
       VALUES ('${id}', 'a@example.com', 'Hello', 'welcome', now(), now(), ${sent}, ${failed})`
    await database.run(
      mail('waiting', 'NULL', 'NULL'),
      mail('sent', 'now()', 'NULL'),
      mail('failed', 'NULL', 'now()'),
      `INSERT INTO mail_requests (kind, email, created_at) VALUES ('reset', 'a@example.com', now())`,
    )
    const page = files.get('docs/database.md') ?? ''
    const statements = [...page.matchAll(/--command "(DELETE [^"]+)"/g)].map(
      ([, statement = '']) => statement,
    )
    await database.run(...statements)
    expect(await database.rows('SELECT message_id AS id FROM outbox ORDER BY id')).toEqual([
      { id: 'failed' },
      { id: 'sent' },
    ])
    expect(await database.rows('SELECT * FROM mail_requests')).toEqual([])
  },
)
