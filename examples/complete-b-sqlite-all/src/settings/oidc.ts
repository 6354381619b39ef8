import { z } from 'zod'
import { flag, settings, webAddress } from './types.ts'

/** A value for each provider, by its variable. */
const named = <Type extends z.ZodType>(type: Type) => z.record(z.string(), type.optional()).default({})

const nameList = () =>
  z
    .string()
    .transform((text) => text.split(/ *, */).filter(Boolean))
    .refine((names) => names.every((name) => /^[a-z][a-z0-9]*$/.test(name)), {
      error: 'must be a list of names of a-z and 0-9 that begin with a letter',
    })
    .transform((names) => [...new Set(names)])

/** Providers that users sign in with. `src/oidc/providers.ts` puts together what belongs to one. */
export const oidc = settings({
  /** Providers that users sign in with, comma-separated: google, microsoft, github or names of your own. Empty: none. */
  names: ['OIDC_PROVIDERS', nameList().default([])],
  /** Issuer of the provider, exactly as its documents name it. Empty: that of google, microsoft or github. */
  issuers: ['OIDC_<NAME>_ISSUER', named(webAddress())],
  /** Client id that the provider gave to this service. */
  clientIds: ['OIDC_<NAME>_CLIENT_ID', named(z.string())],
  /** Client secret that the provider gave to this service. */
  clientSecrets: ['OIDC_<NAME>_CLIENT_SECRET', named(z.string())],
  /** Scopes, separated by spaces. Empty: openid email profile; for github read:user user:email. */
  scopes: ['OIDC_<NAME>_SCOPES', named(z.string())],
  /** What the button of the provider says. Empty: its name. */
  labels: ['OIDC_<NAME>_LABEL', named(z.string())],
  /** Whether an address that the provider calls verified counts as verified. Empty: true for google and github only. */
  emailsTrusted: ['OIDC_<NAME>_EMAIL_TRUSTED', named(flag())],
  /** Tenant of the provider microsoft. Its users sign in, and no others. */
  microsoftTenant: [
    'OIDC_MICROSOFT_TENANT',
    z.guid('must be the id of a tenant, such as 8eaef023-2b34-4da1-9baa-8bc8c9d6a490').optional(),
  ],
  /** Address below which providers send users back, if it is not FRONTEND_URL. */
  callbackBase: ['OIDC_CALLBACK_BASE', webAddress().optional()],
})
