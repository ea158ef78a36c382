import { ServiceError } from '../../errors.ts'
import type { Call } from '../shared/context.ts'

/** Throws `PERSON_REQUIRED` for what agents and CI may not do: with their tokens, or with a person's through a tool. */
export function requirePerson({ byAgent, principal }: Pick<Call, 'byAgent' | 'principal'>): void {
  if (!byAgent && principal.tokenKind === 'person') return
  const message = 'only a person decides this, with a token of their own, on the confirmation page or in a terminal'
  throw new ServiceError('permission_denied', message, { reason: 'PERSON_REQUIRED' })
}
