import * as z from 'zod'

const Step = z.object({ position: z.int(), action: z.string(), data: z.string(), expected: z.string() })

/** Schema of the JSON column `test.steps`. */
export const Steps = z.array(Step)

/** A label on a case that was missing from its report, so that it becomes active again once a report has its result. */
export const DEPRECATED_BY = 'deprecated_by'
export const MISSING = 'missing_policy'
