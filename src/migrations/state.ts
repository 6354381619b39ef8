import type { Answers } from '../answers.ts'

/** What a project's tables depend on, apart from the database: its mode and profile. */
export const STATES = ['none', 'basic-a', 'basic-b', 'complete-a', 'complete-b'] as const
export type State = (typeof STATES)[number]

export function stateOf({ mode, profile }: Pick<Answers, 'mode' | 'profile'>): State {
  if (mode === 'none' || !profile) return 'none'
  return `${mode}-${profile === 'A' ? 'a' : 'b'}`
}

export const isBasic = (state: State | undefined): boolean => state?.startsWith('basic') ?? false

export const isComplete = (state: State | undefined): boolean => state?.startsWith('complete') ?? false

/** Of a state that has users. */
export const isProfileB = (state: State | undefined): boolean => state?.endsWith('-b') ?? false
