import type { Writing } from '../../shared/context.ts'
import type { Prepare, Rows } from '../../sql/database.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { Change } from '../changes.ts'

/** A change to make, with the values that it sets. */
export interface AppliedChange extends Pick<Change, 'entityType' | 'entityId' | 'operation' | 'fields'> {
  /** Number of the key of what is created; undefined takes the next one. */
  number: number | undefined
  /** Who makes the change, and when. */
  writing: Writing
}

/** The transaction that changes are applied in. */
export interface Applying {
  rows: Rows
  prepare: Prepare
  product: StoredProduct
}
