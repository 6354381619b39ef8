import { setTimeout as delay } from 'node:timers/promises'
import { same } from './rules/expected.js'

/** @typedef {import('../service.js').Attacked} Attacked */
/** @typedef {Awaited<ReturnType<typeof openMailbox>>} Mailbox */

/** A user of its own, whose mails show that the mails requested before have been handled. */
const sentinel = 'sentinel@example.com'

/**
 * Reads the mails of a service in development, and compares them with the model.
 * @param {Attacked} service
 */
export async function openMailbox(service) {
  const user = { username: 'sentinel', email: sentinel, password: 'Correct-Horse-7' }
  await service.request('POST', '/api/v1/auth/register', user)
  /** The newest mail that was compared. */
  let comparedId = 0

  /** The mails that are newer, oldest first. @param {number} id @returns {Promise<any[]>} */
  async function newerThan(id) {
    const { body } = await service.request('GET', '/dev/mailbox/messages')
    return body.messages.filter((/** @type {any} */ mail) => mail.id > id).reverse()
  }

  return {
    /** Leaves out the mails so far: those of a sequence that failed. */
    async skip() {
      comparedId = (await newerThan(0)).at(-1)?.id ?? 0
    },

    /** Resolves when the mails that were requested before have been handled. */
    async settle() {
      const newest = (await newerThan(comparedId)).at(-1)?.id ?? comparedId
      await service.request('POST', '/api/v1/auth/forgot-password', { email: sentinel })
      do await delay(200)
      while (!(await newerThan(newest)).some(({ to }) => to === sentinel))
    },

    /**
     * Compares the new mails with those of the model, and notes their tokens there.
     * @param {import('./model.js').Model} model
     * @throws Error if they differ
     */
    async compare({ mails, prefix }) {
      const expected = mails.slice(mails.filter(({ isRead }) => isRead).length)
      if (expected.length === 0) return
      // An address that the generator repeats may belong to a user of an earlier sequence.
      const isOwn = (/** @type {any} */ { to }) =>
        to.includes(prefix) || expected.some((mail) => mail.to === to)
      const messages = (await newerThan(comparedId)).filter(isOwn)
      same(
        messages.map(({ to, template }) => [to, kindOf(template)]),
        expected.map(({ to, kind }) => [to, kind]),
      )
      for (const [index, mail] of expected.entries()) {
        const { id, token, code } = messages[index]
        Object.assign(mail, { isRead: true, token: token ?? code })
        comparedId = id
      }
    },
  }
}

/** @param {string} template */
const kindOf = (template) =>
  ({ email_restored: 'reset', email_login: 'login' })[template] ??
  /reset|verification|confirm|undo/.exec(template)?.[0] ??
  'notice'
