import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { addPasskey, optionsForNew, passkeysOf } from '../../../../passkeys/enrol.ts'
import { logInWithPasskey, optionsForLogin } from '../../../../passkeys/log-in.ts'
import { removePasskey, renamePasskey } from '../../../../passkeys/manage.ts'
import { type Passkey, relyingParty } from '../../../../passkeys/relying-party.ts'
import { logEvent } from '../../../../problem.ts'
import { credential, optionsResponse } from '../../../../schemas/proof.ts'
import { text, urlNumber } from '../../../../schemas/text.ts'
import { tokenResponse } from '../../../../schemas/user.ts'
import { confirmationFields, confirmationOf, confirmationProblems } from '../../../../schemas/ways-in.ts'

const created = z.object({ id: z.int(), name: z.string(), created_at: z.iso.datetime() })
const listed = created.extend({ last_used_at: z.iso.datetime().nullable(), backed_up: z.boolean() })

const toCreated = ({ id, name, createdAt }: Passkey) => ({ id, name, created_at: createdAt.toISOString() })
const toListed = ({ lastUsedAt, isBackedUp, ...passkey }: Passkey) => ({
  ...toCreated(passkey as Passkey),
  last_used_at: lastUsedAt?.toISOString() ?? null,
  backed_up: isBackedUp,
})

const name = text(100)
  .refine((value) => value.trim() !== '', { error: 'Must not be empty', params: { code: 'too_short' } })
  .meta({ description: 'What the user calls it', examples: ["Alice's phone"] })
const params = z.strictObject({ id: urlNumber() })
const { emailed_token } = confirmationFields
export default (async (app) => {
  const { ctx } = app

  app.get(
    '/passkeys',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'listPasskeys',
        summary: 'The passkeys of the current user, newest first',
        description:
          '`signal` is for `PublicKeyCredential.signalAllAcceptedCredentials`, which tells the browser what is gone.',
        response: {
          200: z.object({
            passkeys: z.array(listed),
            signal: z.object({
              rpId: z.string(),
              userId: z.string().nullable(),
              allAcceptedCredentialIds: z.array(z.string()),
            }),
          }),
        },
      },
    },
    async ({ user }) => {
      const passkeys = await passkeysOf(ctx.db.read, user.id)
      const allAcceptedCredentialIds = passkeys.map(({ credentialId }) => credentialId)
      const userId = passkeys[0]?.userHandle ?? null
      const { id: rpId } = relyingParty(ctx.config)
      return { passkeys: passkeys.map(toListed), signal: { rpId, userId, allAcceptedCredentialIds } }
    },
  )

  app.post(
    '/passkeys/options',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'createPasskeyOptions',
        summary: 'The options of a new passkey, for `navigator.credentials.create`',
        description:
          'Without `emailed_token`, 403 `emailed_token_required` emails one. Users with a second factor also prove it. For 5 minutes, the session is not asked again.',
        body: z.strictObject(confirmationFields).nullish(),
        response: { 200: optionsResponse },
        problems: [...confirmationProblems],
      },
    },
    async (request) => {
      const confirmation = confirmationOf(request, request.body ?? {})
      const options = await optionsForNew(ctx, request.caller, confirmation)
      return { options: { ...options } }
    },
  )

  app.post(
    '/passkeys',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'addPasskey',
        summary: 'Add the passkey that a device created for the options',
        description: 'The options are valid once, for 5 minutes, in the session that asked for them.',
        body: z.strictObject({ credential: credential.optional(), name, emailed_token }),
        response: { 201: created },
        problems: [...confirmationProblems],
      },
    },
    async (request, reply) => {
      const { emailed_token: emailedToken, ...given } = request.body
      const passkey = await addPasskey(ctx, request.caller, { ...given, emailedToken })
      logEvent(request, { event: 'passkey.added' })
      return reply.code(201).send(toCreated(passkey))
    },
  )

  app.patch(
    '/passkeys/:id',
    {
      onRequest: [app.requireUser, app.requireRecentLogin],
      schema: {
        operationId: 'renamePasskey',
        summary: 'Rename a passkey',
        description: 'Requires a login of the last 10 minutes.',
        params,
        body: z.strictObject({ name }),
        response: { 200: created },
        problems: ['not_found'],
      },
    },
    async (request) => {
      const { id } = request.params
      const renamed = await renamePasskey(ctx, request.caller, id, request.body.name)
      logEvent(request, { event: 'passkey.renamed' })
      return toCreated(renamed)
    },
  )

  app.delete(
    '/passkeys/:id',
    {
      // The recent login is required when the emailed token is sent: typing it off may take longer.
      onRequest: app.requireUser,
      schema: {
        operationId: 'removePasskey',
        summary: 'Remove a passkey',
        description: 'Takes a proof of the second factor or, without one, an emailed token.',
        params,
        body: z.strictObject(confirmationFields).nullish(),
        response: { 204: z.undefined().meta({ description: 'The passkey is removed' }) },
        problems: [...confirmationProblems, 'not_found', 'last_sign_in_method'],
      },
    },
    async (request, reply) => {
      const { body, caller, params } = request
      await removePasskey(ctx, caller, params.id, confirmationOf(request, body ?? {}))
      logEvent(request, { event: 'passkey.removed' })
      return reply.code(204).send()
    },
  )

  app.post(
    '/passkeys/login/options',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'createPasskeyLoginOptions',
        summary: 'The options of a login, for `navigator.credentials.get`',
        description: 'They name no user: the passkey does. They are valid once, for 5 minutes.',
        response: { 200: optionsResponse },
      },
    },
    async () => ({ options: { ...(await optionsForLogin(ctx)) } }),
  )

  app.post(
    '/passkeys/login',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'logInWithPasskey',
        summary: 'Log in with what a passkey has signed',
        description: 'No second factor is asked for: the device asked for one before it signed.',
        body: z.strictObject({ credential }),
        response: { 200: tokenResponse },
        problems: ['invalid_credentials', 'user_not_verified'],
      },
    },
    async (request) => {
      const client = { address: request.ip, userAgent: request.headers['user-agent'] }
      const { userId, tokens } = await logInWithPasskey(ctx, request.body.credential, client)
      logEvent(request, { event: 'login.succeeded', userId })
      return tokens
    },
  )
}) satisfies FastifyPluginAsyncZod
