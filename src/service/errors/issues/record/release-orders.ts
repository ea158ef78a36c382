import { releaseOrder, type OrderedRelease, type ReleaseOrder } from '../../../workspace/release-order.ts'
import type { Prepare } from '../../../sql/database.ts'

/** The orders of environments that one transaction asks for, each read and built once. */
export interface ReleaseOrders {
  /** Is the first of two releases of an environment the older one? */
  isOlder(environmentId: string, releaseId: string, otherId: string): boolean
  /** To be called for every release the transaction makes. */
  added(environmentId: string, release: OrderedRelease): void
}

/** Valid until the transaction ends or is taken back: nobody else writes meanwhile. */
export function releaseOrders(prepare: Prepare): ReleaseOrders {
  const known = new Map<string, ReleaseOrder>()

  function findOrder(environmentId: string): ReleaseOrder {
    const before = known.get(environmentId)
    if (before !== undefined) return before
    const releases = prepare('SELECT id, version, released_at, created_at FROM release WHERE environment_id = ?')
    const order = releaseOrder(releases.all<OrderedRelease>(environmentId))
    known.set(environmentId, order)
    return order
  }

  return {
    isOlder: (environmentId, releaseId, otherId) => findOrder(environmentId).isBefore(releaseId, otherId),
    added: (environmentId, release) => known.get(environmentId)?.add(release),
  }
}
