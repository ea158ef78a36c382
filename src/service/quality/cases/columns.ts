import * as z from 'zod'

const Step = z.object({ position: z.int(), action: z.string(), data: z.string(), expected: z.string() })

/** What `test.steps` holds. */
export const Steps = z.array(Step)
