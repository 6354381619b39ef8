import { expect, test } from 'vitest'
import { problem } from '../harness/client.ts'
import { newDatabase } from '../harness/database.ts'
import type { Report } from '../harness/project.ts'
import { startService } from '../harness/service.ts'
import { auth, newSession } from './complete-context.ts'

/** The route for verified users that README shows, and ownerSuite has added: comes after it. */
export function verifiedGuardSuite(project: () => Report): void {
  test("README's route for verified users is for them only", async () => {
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
