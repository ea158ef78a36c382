import { isNotComputed } from '../../../src/errors.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'
import type { GateScope } from './scope.ts'

/** Handles the failure of a read of the verdict: where there is none yet, throws an error that names the call for one. */
export function explainNotComputed({ words, args }: GateScope): (error: unknown) => never {
  return (error) => {
    if (!isNotComputed(error)) throw error
    const next = nextCall('compute_quality_gate', args, 'computes it')
    throw new TeachingError(
      'not_found',
      `there is no verdict yet${words}`,
      { next },
      { cause: error, reason: error.reason },
    )
  }
}
