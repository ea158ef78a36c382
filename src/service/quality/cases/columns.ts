import * as z from 'zod'

const Step = z.object({ position: z.int(), action: z.string(), data: z.string(), expected: z.string() })

/** Schema of the JSON column `test.steps`. */
export const Steps = z.array(Step)
