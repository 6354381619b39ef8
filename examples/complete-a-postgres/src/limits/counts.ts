/** Length of the window in which a client is counted, in milliseconds; it starts with the first attempt. */
export const windowMs = 60_000

/** Takes a count back; to be called once. */
export type GiveBack = () => Promise<void>

/** An attempt was counted, or refused because its window has had all that it may; that does not make the window longer. */
type Counted = { giveBack: GiveBack } | { refusedForMs: number }

/** Attempts by key, counted in windows. */
export interface Counts {
  /** Counts one, unless the key's window has had `max` already: of many at once no more than `max` are counted. */
  take(key: string, max: number): Promise<Counted>
}

/** Counts that all instances of the service share. */
export interface SharedCounts {
  /** As in `Counts`; never rejects, and is undefined while they cannot be reached. */
  take(key: string, max: number): Promise<Counted | undefined>
  close?(): void
}
