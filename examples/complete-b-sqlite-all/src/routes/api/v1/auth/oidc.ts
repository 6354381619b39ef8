import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { answerFlow } from '../../../../oidc/answers.ts'
import { createConfigurations, FlowError, type FlowProblem } from '../../../../oidc/client.ts'
import { flowCookies } from '../../../../oidc/cookies.ts'
import { startFlow, takeFlow } from '../../../../oidc/flows.ts'
import { openLink, startLink } from '../../../../oidc/link.ts'
import { type Provider, readProviders } from '../../../../oidc/providers.ts'
import { logEvent } from '../../../../problem.ts'
import { challenge, returnTo } from '../../../../schemas/oidc.ts'
import { proofFields, proofOf } from '../../../../schemas/proof.ts'
import { emailToken, submittedToken } from '../../../../schemas/text.ts'

const params = z.strictObject({ provider: z.string() })

const redirect = z.undefined().meta({ description: 'Leads to the provider, or back to the front end' })

/** Sign-in with providers. What goes wrong on the way is told to the front end, in the fragment of its page. */
export default (async (app) => {
  const { config, ctx } = app
  const providers = readProviders(config)
  const configurationOf = createConfigurations(ctx)
  const cookies = flowCookies(config)
  const registrations = app.addressLimit('register', config.rateLimits.register)
  if (providers.length > 0 && config.server.corsOrigins.length > 0 && !config.oidc.callbackBase)
    app.log.warn('OIDC_CALLBACK_BASE is empty: providers send users back below FRONTEND_URL')

  /** @throws ApiError not_found */
  function providerOf({ provider: name }: z.output<typeof params>): Provider {
    const provider = providers.find((each) => each.name === name)
    if (!provider) throw new ApiError('not_found')
    return provider
  }

  /** Leads to the page `sign-in` of the front end. In the fragment, which gets into no log and no Referer header. */
  function leave(reply: FastifyReply, answer: Record<string, string | undefined>): FastifyReply {
    const url = new URL(config.server.frontendUrl)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/sign-in`
    const given = Object.entries(answer).filter((entry): entry is [string, string] => entry[1] !== undefined)
    url.hash = new URLSearchParams(given).toString()
    return reply.redirect(url.href, 302)
  }

  /** What ended a flow, for the log: the names of errors only. @throws any other error */
  function explain(request: FastifyRequest, provider: Provider, error: unknown): FlowProblem {
    if (!(error instanceof FlowError)) throw error
    const { problem, cause } = error
    const { code, message = problem } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
    const fields = { provider: provider.name, reason: code ?? message, address: request.ip }
    if (problem === 'provider_unavailable')
      request.log.warn({ event: 'oidc.provider_unavailable', ...fields }, 'provider unavailable')
    else request.log.info({ event: 'oidc.refused', ...fields }, 'sign-in refused')
    return problem
  }

  app.get(
    '/oidc',
    {
      schema: {
        operationId: 'listProviders',
        summary: 'The providers that users sign in with',
        response: {
          200: z.object({ providers: z.array(z.object({ name: z.string(), label: z.string() })) }),
        },
      },
    },
    async () => ({ providers: providers.map(({ name, label }) => ({ name, label })) }),
  )

  app.get(
    '/oidc/:provider',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'startSignIn',
        summary: 'Lead the browser to a provider',
        description: 'A browser opens it at top level. `link` is in the address that POST link answers with.',
        params,
        querystring: z.union([
          z.strictObject({ code_challenge: challenge, return_to: returnTo }),
          z.strictObject({ link: submittedToken }),
        ]),
        response: { 302: redirect },
        problems: ['not_found'],
      },
    },
    async (request, reply) => {
      const { query } = request
      const provider = providerOf(request.params)
      try {
        const { asked, linking } =
          'link' in query
            ? await openLink(ctx, provider, query.link)
            : { asked: { challenge: query.code_challenge, returnTo: query.return_to }, linking: undefined }
        const { url, cookie } = await startFlow(ctx, configurationOf, provider, asked, linking)
        return await reply.header('set-cookie', cookies.set(cookie)).redirect(url, 302)
      } catch (error) {
        return leave(reply, { error: explain(request, provider, error) })
      }
    },
  )

  app.get(
    '/oidc/:provider/callback',
    {
      onRequest: app.limitRequests,
      schema: {
        operationId: 'finishSignIn',
        summary: 'Where a provider sends the browser back',
        description:
          'Leads to the page `sign-in` of the front end with `#code=` or `#error=`, and `return_to`.',
        params,
        querystring: z.looseObject({}),
        response: { 302: redirect },
        problems: ['not_found'],
      },
    },
    async (request, reply) => {
      const provider = providerOf(request.params)
      const query = request.raw.url?.replace(/^[^?]*/, '') ?? ''
      const state = new URLSearchParams(query).get('state') ?? ''
      const client = { address: request.ip, userAgent: request.headers['user-agent'] }
      let return_to: string | undefined
      try {
        const taken = await takeFlow(ctx, provider, state, (name) =>
          cookies.read(request.headers.cookie, name),
        )
        return_to = taken.flow.returnTo
        reply.header('set-cookie', cookies.clear(taken.cookie))
        const count = () => registrations.take(request.ip)
        const { code, registered } = await answerFlow(
          ctx,
          configurationOf,
          provider,
          { ...taken, query },
          client,
          count,
        )
        if (registered) logEvent(request, { event: 'user.registered', userId: registered })
        return leave(reply, { code, return_to })
      } catch (error) {
        return leave(reply, { error: explain(request, provider, error), return_to })
      }
    },
  )

  app.post(
    '/oidc/:provider/link',
    {
      onRequest: app.requireUser,
      schema: {
        operationId: 'linkProvider',
        summary: 'Add an account at a provider to the current user',
        description:
          'Answers with an address that the browser opens at top level. Without `emailed_token`, 403 `emailed_token_required` emails one. Users with a second factor also prove it.',
        params,
        body: z.strictObject({
          ...proofFields,
          code_challenge: challenge,
          return_to: returnTo,
          emailed_token: emailToken.optional(),
        }),
        response: { 200: z.object({ url: z.string() }) },
        problems: [
          'not_found',
          'provider_unavailable',
          'user_not_verified',
          'emailed_token_required',
          'invalid_or_expired_token',
          'reauthentication_required',
          'invalid_code',
          'too_many_requests',
        ],
      },
    },
    async (request) => {
      const provider = providerOf(request.params)
      const { code_challenge, return_to: returnTo, emailed_token: emailedToken, ...body } = request.body
      const { caller, ip } = request
      // First, so that it costs no code.
      await configurationOf(provider).catch((error) => {
        throw new ApiError(explain(request, provider, error) as 'provider_unavailable')
      })
      const asked = { challenge: code_challenge, returnTo }
      const proof = proofOf({ body, caller, ip })
      return { url: await startLink(ctx, caller, provider, asked, { emailedToken, proof }) }
    },
  )
}) satisfies FastifyPluginAsyncZod
