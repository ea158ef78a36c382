import { releaseOrder, type OrderedRelease, type ReleaseOrder } from '../../../workspace/releases/release-order.ts'
import type { Prepare } from '../../../sql/database.ts'

/** The release orders that one transaction needs, each read and built once per environment. */
export interface ReleaseOrders {
  /** Whether the first of two releases of an environment is the older one. */
  isOlder(environmentId: string, releaseId: string, otherId: string): boolean
  /** Call for every release that the transaction creates. */
  added(environmentId: string, release: OrderedRelease): void
}

/** Valid until the transaction ends or is rolled back: there is no other writer meanwhile. */
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
