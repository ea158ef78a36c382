import * as z from 'zod'

/** The members of `product.settings` that the service acts on, with the contract's defaults (contract §2). */
export const StoredSettings = z.object({
  reopen_on_regression: z.boolean().default(true),
  auto_create_environments: z.boolean().default(true),
  single_user_approval: z.array(z.string()).default([]),
  retention_days: z.int().positive().default(90),
  max_events_per_issue: z.int().positive().default(1000),
})
