import type { Config } from '../../config.ts'
import type { ProblemName } from '../../errors/api-error.ts'
import type { User } from '../../users/users.ts'

/** A new password, and the user who will have it. */
export interface ProposedPassword {
  password: string
  user: Pick<User, 'username' | 'email'>
  /** The field of the request that contains the password. */
  field: 'password' | 'new_password'
}

/** Looks at a new password that meets the rules, and at its user. Each file of this folder exports one, under its own name. */
export interface PasswordValidator {
  /** The error of a password that it refuses. */
  problem: ProblemName
  /** @returns a function that throws ApiError with this problem */
  create(config: Config): Promise<(proposed: ProposedPassword) => void>
}
