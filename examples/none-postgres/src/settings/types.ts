import ipaddr from 'ipaddr.js'
import { z } from 'zod'

type Group = Record<string, readonly [name: string, type: z.ZodType]>
type Values<Settings extends Group> = { [Property in keyof Settings]: z.output<Settings[Property][1]> }

/**
 * A group of settings: for each property, its environment variable and type. `derive` turns these values into the group.
 * The script settings copies names, defaults and comments to .env.example and docs/settings.md.
 */
export const settings = <Settings extends Group, Derived = Values<Settings>>(
  group: Settings,
  derive?: (values: Values<Settings>) => Derived,
) =>
  z.object(Object.fromEntries(Object.values(group))).transform((env) => {
    const entries = Object.entries(group).map(([property, [name]]) => [property, env[name]])
    const values = Object.fromEntries(entries)
    return (derive ? derive(values) : values) as Derived
  })

// Types of settings. Each parses an environment variable, or fails with a message that says what it must be.

export const wholeNumber = ({ min, max }: { min: number; max: number }) => {
  const error = `must be a whole number from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d+$/, { error, abort: true })
    .transform(Number)
    .pipe(z.number().min(min, error).max(max, error))
}

export const oneOf = <const Values extends readonly string[]>(values: Values, named = values.join(', ')) =>
  z.enum(values, { error: `must be one of ${named}` })

export const environment = () => oneOf(['production', 'development', 'test'])

export const flag = () =>
  z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'], error: 'must be true or false' })

/** Spaces at either end may belong to a secret. */
const commaSeparated = () => z.string().transform((text) => text.split(/ *, */).filter(Boolean))

/**
 * Addresses and CIDRs. Rejects `true`, a number of hops and wide networks: with these, clients could forge
 * X-Forwarded-For and bypass every limit per address.
 */
export const addressList = () =>
  commaSeparated().refine((parts) => parts.every(isAddressOrNetwork), {
    error:
      'must be a list of IP addresses or CIDRs such as 10.0.0.0/8 (true, a number, or a network wider than /8, in IPv6 /16, would trust clients)',
  })

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  if (!ipaddr.IPv6.isValid(address) && !ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  if (prefix === undefined) return true
  return rest.length === 0 && ipaddr.isValidCIDR(text) && Number(prefix) >= shortestPrefix(text)
}

/** One organization has at most a /8 of IPv4 or a /16 of IPv6, so a wider network contains strangers. */
function shortestPrefix(cidr: string): number {
  const [address, prefix] = ipaddr.parseCIDR(cidr)
  if (address.kind() === 'ipv4') return 8
  // ::ffff:0:0/96 is the whole of IPv4.
  return ipaddr.IPv6.parse('::ffff:0:0').match(address, Math.min(prefix, 96)) ? 96 + 8 : 16
}

/** An address that links start with. An emailed link would show a password in it to every recipient. */
export const webAddress = () =>
  z.string().refine(isWebAddress, 'must be an http or https address without user name, query or fragment')

function isWebAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username + password === '' && !/[?#]/.test(text)
}

/** Exact origins (scheme, host and port). A pattern or `*` would let any page read responses. */
export const originList = () =>
  commaSeparated().refine((parts) => parts.every(isOrigin), {
    error: 'must be a list of exact origins such as https://app.example.com (no path, no *)',
  })

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && !text.includes('*')
}
