import * as z from 'zod'
import { Id, Key, Timestamp } from '../../contract/base/common.ts'

/** An accepted risk that ends soon, as outputs of agents show it. */
export const EndingRisk = z.object({
  risk_id: Id,
  expires_at: Timestamp,
  condition_ids: z.array(Key),
  items: z.int().describe('Items of evidence that it covers.'),
})
