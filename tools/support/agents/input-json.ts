import * as z from 'zod'
import { ServiceError } from '../../../src/errors.ts'
import { isObject, type JsonObject } from '../../../src/lib/objects.ts'
import { nextCall, type NextAction } from '../../../src/mcp/result/next-action.ts'
import { TeachingError } from '../../../src/mcp/result/teach.ts'

/** The input of a config or a run: an object of any shape, which a flat schema can only take as a text. */
export const InputJson = z.string().max(100_000).optional().describe('JSON object; get_agent_config shows its members.')

/** The object in the text; undefined without one. Throws `invalid_argument` for any other text. */
export function readInput(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const value = parsed(text)
  if (isObject(value)) return value
  throw new TeachingError('invalid_argument', 'input_json is not a JSON object', {
    sent: `input_json = a text of ${String(text.length)} characters`,
    expected: 'an object as JSON text, such as {"window":"7d"}',
    next: nextCall('get_agent_config', {}, 'what each agent type takes'),
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The input as a person or an agent reads it. */
export function inputText(input: Readonly<Record<string, unknown>> | undefined): string {
  return input === undefined || Object.keys(input).length === 0 ? '' : JSON.stringify(input)
}

/** Whether the service refused the input of a config or a run. */
export function isInputRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.reason === 'INPUT_SCHEMA'
}

/** Says which members of the input do not conform to the type, as far as their names are plain. */
export function inputRefused(error: ServiceError, next: NextAction): TeachingError {
  const { code, reason, metadata } = error
  const violations = error.violations.filter(({ field }) => /^[\w.[\]]{1,80}$/.test(field))
  const message = 'input_json does not fit the agent type'
  return new TeachingError(code, message, { next }, { reason, metadata, violations, cause: error })
}
