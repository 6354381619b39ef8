import type { Profile } from '../answers/variant.ts'

/** A setting that has different names in profiles A and B, and how to convert its value. */
export interface Renamed {
  readonly A: string
  readonly B: string
  /** Whether only mode complete has it. */
  readonly complete: boolean
  /** For numbers: B's units per unit of A, and the bounds in each profile. */
  readonly scale?: {
    readonly factor: number
    readonly A: readonly [number, number]
    readonly B: readonly [number, number]
  }
}

const same = (complete: boolean, A: string, B: string): Renamed => ({ A, B, complete })

/** Every setting that has different names in the two profiles. A test compares this list with the blueprints. */
export const RENAMED: readonly Renamed[] = [
  same(false, 'SECRET_KEY', 'JWT_SECRET_KEY'),
  same(false, 'SECRET_KEY_PREVIOUS', 'JWT_SECRET_KEY_PREVIOUS'),
  same(false, 'ALGORITHM', 'JWT_ALGORITHM'),
  {
    ...same(false, 'ACCESS_TOKEN_EXPIRE_MINUTES', 'JWT_ACCESS_TOKEN_EXPIRATION'),
    scale: { factor: 60, A: [1, 1440], B: [1, 86_400] },
  },
  {
    ...same(true, 'REFRESH_TOKEN_EXPIRE_DAYS', 'JWT_REFRESH_TOKEN_EXPIRATION'),
    scale: { factor: 86_400, A: [1, 30], B: [1, 2_592_000] },
  },
  same(true, 'SMTP_HOST', 'EMAIL_HOST'),
  same(true, 'SMTP_PORT', 'EMAIL_PORT'),
  same(true, 'SMTP_USER', 'EMAIL_HOST_USER'),
  same(true, 'SMTP_PASSWORD', 'EMAIL_HOST_PASSWORD'),
  same(true, 'SMTP_EHLO_NAME', 'EMAIL_EHLO_NAME'),
  same(true, 'SMTP_USE_TLS', 'EMAIL_USE_TLS'),
  same(true, 'EMAILS_FROM_EMAIL', 'EMAIL_FROM_EMAIL'),
  same(true, 'EMAILS_FROM_NAME', 'EMAIL_FROM_NAME'),
]

/**
 * Converts a value of the other profile to the unit and bounds of `to`. A lifetime never grows, except to the minimum.
 * @returns undefined if the value must be a number and is not
 */
export function convert({ scale }: Renamed, value: string, to: Profile): string | undefined {
  if (!scale) return value
  if (!/^\d+$/.test(value)) return undefined
  const [min, max] = scale[to]
  const converted = to === 'B' ? Number(value) * scale.factor : Math.floor(Number(value) / scale.factor)
  return String(Math.min(Math.max(converted, min), max))
}
