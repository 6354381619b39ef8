import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { problem } from '../harness/client.ts'
import { newDatabase } from '../harness/database.ts'
import { startService } from '../harness/service.ts'
import { auth, newSession } from './complete-context.ts'

/** Tests the route for verified users from docs/email.md. Runs after the docs tests have added it. */
export function verifiedGuardSuite(project: () => Report): void {
  test('the route of docs/email.md refuses unverified users', async (context) => {
    if (!existsSync(join(project().directory, 'src/routes/api/v1/letters.ts')))
      context.skip('docs/email.md was not followed to its end')
    const service = await startService({
      cwd: project().directory,
      env: (await newDatabase(project())).env,
      command: ['npm', 'run', 'dev'],
    })
    const { access: token } = await newSession(service, 'unverified')
    const path = '/api/v1/letters'
    const refused = await service.get(path, { token })
    expect(refused.body).toEqual(problem(403, 'User not verified', 'user_not_verified', path))
    expect((await service.get(path)).body).toMatchObject({ status: 401, code: 'not_authenticated' })

    const [mail] = (await service.get('/dev/mailbox/messages')).body.messages
    expect((await service.post(auth('verify-email'), { token: mail.token })).status).toBe(200)
    expect(await service.get(path, { token })).toMatchObject({
      status: 200,
      body: { letter: 'To unverified@example.com' },
    })
    await service.stop()
  })
}
