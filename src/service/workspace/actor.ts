import * as z from 'zod'
import { Actor } from '../../contract/base/common.ts'

/** Columns that hold an actor as JSON: `issue.status_changed_by`, `issue_history.actor`, a requirement's last change. */
export const StoredActor = z.object({
  type: Actor.shape.type,
  id: z.string(),
  display_name: z.string(),
  user_id: z.string(),
})

/** The actor of changes that the service makes by itself. */
export const systemActor = {
  type: 'ACTOR_TYPE_SYSTEM',
  id: 'tracegate',
  display_name: 'Tracegate',
  user_id: '',
} as const satisfies z.input<typeof StoredActor>
