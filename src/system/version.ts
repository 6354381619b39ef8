/** A version without its pre-release: the range of a release includes its pre-releases. */
const VERSION = /^(\d+)\.(\d+)\.(\d+)/
const COMPARATOR = /^(>=|<=|>|<|=)(\d+\.\d+\.\d+)$/

/** Negative if `one` is older than `other`, positive if it is newer. Pre-releases count as their release. */
export function compareVersions(one: string, other: string): number {
  const parts = (version: string) => (VERSION.exec(version) ?? []).slice(1).map(Number)
  return compareNumbers(parts(one), parts(other))
}

/** Compares two lists of the same length by the first numbers that differ. */
export function compareNumbers(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index])
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0)
}

/** Whether a text is a range of versions as semver writes it, with comparators only: ">=0.1.0 <0.2.0". */
export const isRange = (text: string): boolean => text.split(' ').every((part) => COMPARATOR.test(part))

/** Whether a version satisfies every comparator of a range. */
export function isInRange(version: string, range: string): boolean {
  return range.split(' ').every((part) => {
    const [, operator = '', bound = ''] = COMPARATOR.exec(part) ?? []
    const order = compareVersions(version, bound)
    return operator.includes('<=>'.charAt(Math.sign(order) + 1))
  })
}
