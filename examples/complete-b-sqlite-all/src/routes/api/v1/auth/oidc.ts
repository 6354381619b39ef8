import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../../../errors/api-error.ts'
import { answerFlow } from '../../../../oidc/answers.ts'
import { readClaims } from '../../../../oidc/claims.ts'
import { createConfigurations, FlowError, type FlowProblem } from '../../../../oidc/client.ts'
import { createFlow, findLink, leadToProvider, takeFlow } from '../../../../oidc/flows.ts'
import { startLink } from '../../../../oidc/link.ts'
import { type Provider, readProviders } from '../../../../oidc/providers.ts'
import { logEvent } from '../../../../problem.ts'
import { submittedToken } from '../../../../schemas/text.ts'
import { confirmationFields, confirmationOf, confirmationProblems } from '../../../../schemas/ways-in.ts'

const params = z.strictObject({ provider: z.string() })

const asked = z.strictObject({
  code_challenge: z
    .string()
    .regex(/^[\w-]{43}$/, 'Must be the base64url of a SHA-256')
    .meta({ description: 'PKCE of the front end: base64url(SHA-256(code_verifier))' }),
  // A path alone: anything else would lead users to a page of somebody else (open redirect).
  return_to: z
    .string()
    .max(1024)
    .regex(/^\/(?![/\\])[ -~]*$/, 'Must be a path')
    .optional()
    .meta({ description: 'Where the front end goes afterwards: a path', examples: ['/orders'] }),
})

const askedIn = ({ code_challenge: challenge, return_to: returnTo }: z.output<typeof asked>) => ({
  ...{ challenge, returnTo },
})

const redirect = z.undefined().meta({ description: 'Leads to the provider, or back to the front end' })

/** Sign-in with providers. What goes wrong on the way is told to the front end, in the fragment of its page. */
export default (async (app) => {
  const { config, ctx } = app
  const providers = readProviders(config)
  const configurationOf = createConfigurations(ctx)
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
  function leave(reply: FastifyReply, answer: Record<string, string>): FastifyReply {
    const url = new URL(config.server.frontendUrl)
    url.pathname = `${url.pathname.replace(/\/$/, '')}/sign-in`
    url.hash = new URLSearchParams(answer).toString()
    return reply.redirect(url.href, 302)
  }

  /** Logs what ended a flow, by the names of errors only. @throws any other error */
  function explain(
    { ip: address, log }: FastifyRequest,
    { name: provider }: Provider,
    error: unknown,
  ): FlowProblem {
    if (!(error instanceof FlowError)) throw error
    const { problem, cause } = error
    const { code, message = problem } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {}
    const fields = { provider, reason: code ?? message, address }
    if (problem === 'provider_unavailable')
      log.warn({ event: 'oidc.provider_unavailable', ...fields }, 'provider unavailable')
    else log.info({ event: 'oidc.refused', ...fields }, 'sign-in refused')
    return problem
  }

  app.get(
    '/oidc',
    {
      schema: {
        operationId: 'listProviders',
        summary: 'The providers that users sign in with',
        description: 'In the order of OIDC_PROVIDERS.',
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
        querystring: z.union([asked, z.strictObject({ link: submittedToken })]),
        response: { 302: redirect },
        problems: ['not_found'],
      },
    },
    async (request, reply) => {
      const { headers, query } = request
      const provider = providerOf(request.params)
      try {
        const configuration = await configurationOf(provider)
        const flow =
          'link' in query
            ? await findLink(ctx, provider, query.link)
            : await ctx.db.transaction((tx) => createFlow(ctx, tx, provider, askedIn(query)))
        const { url, cookies } = await leadToProvider(ctx, provider, configuration, flow, headers.cookie)
        return await reply.header('set-cookie', cookies).redirect(url, 302)
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
      const { headers, ip } = request
      const query = request.raw.url?.replace(/^[^?]*/, '') ?? ''
      const state = new URLSearchParams(query).get('state') ?? ''
      const client = { address: ip, userAgent: headers['user-agent'] }
      let back = {}
      try {
        const taken = await takeFlow(ctx, provider, state, headers.cookie)
        const { flow, cookie } = taken
        if (flow.returnTo !== undefined) back = { return_to: flow.returnTo }
        reply.header('set-cookie', cookie)
        const claims = await readClaims(provider, await configurationOf(provider), query, flow)
        const count = () => registrations.take(ip)
        const { code, registered } = await answerFlow(ctx, provider, taken, { claims, client }, count)
        if (registered) logEvent(request, { event: 'user.registered', userId: registered })
        return leave(reply, { code, ...back })
      } catch (error) {
        return leave(reply, { error: explain(request, provider, error), ...back })
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
        body: asked.extend(confirmationFields),
        response: { 200: z.object({ url: z.string() }) },
        problems: [...confirmationProblems, 'not_found', 'provider_unavailable'],
      },
    },
    async (request) => {
      const provider = providerOf(request.params)
      const { code_challenge, return_to, ...confirmed } = request.body
      // First, so that it costs no code.
      await configurationOf(provider).catch((error) => {
        throw new ApiError(explain(request, provider, error) as 'provider_unavailable')
      })
      const asked = askedIn({ code_challenge, return_to })
      const confirmation = confirmationOf(request, confirmed)
      return { url: await startLink(ctx, request.caller, provider, asked, confirmation) }
    },
  )
}) satisfies FastifyPluginAsyncZod
