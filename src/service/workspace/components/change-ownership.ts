import type { InputOf } from '../../../contract/index.ts'
import type { Platform } from '../../shared/context.ts'
import type { Rows } from '../../sql/database.ts'
import { systemActor } from '../actor.ts'
import { audit } from '../audit.ts'
import { checkGlobs } from './component-store.ts'

type ComponentFields = InputOf<'createComponent'>

/** Who owns which files, as far as it can change after a component was made. */
export interface ComponentOwnership {
  id: string
  owners: NonNullable<ComponentFields['owners']>
  path_globs: ComponentFields['path_globs']
  exclude_globs: NonNullable<ComponentFields['exclude_globs']>
  tags: NonNullable<ComponentFields['tags']>
}

/**
 * Replaces owners, globs and tags of components of a product; the rest of them stays. Throws `GLOB_INVALID`. Only this process
 * changes components: in the specification that takes a signed-in person.
 */
export async function changeOwnership(
  rows: Rows,
  platform: Platform,
  productId: number,
  changes: readonly ComponentOwnership[],
): Promise<void> {
  const call = { ...platform, actor: systemActor, via: '' as const, byAgent: false }
  for (const { id, owners, path_globs, exclude_globs, tags } of changes) {
    checkGlobs({ path_globs, exclude_globs })
    const columns = {
      owners: JSON.stringify(owners),
      path_globs: JSON.stringify(path_globs),
      exclude_globs: JSON.stringify(exclude_globs),
      tags: JSON.stringify(tags),
    }
    const ofProduct = { id, product_id: productId }
    const before = await rows
      .selectFrom('component')
      .selectAll()
      .where((where) => where.and(ofProduct))
      .executeTakeFirstOrThrow()
    await rows
      .updateTable('component')
      .set({ ...columns, version: before.version + 1, updated_at: platform.now() })
      .where((where) => where.and(ofProduct))
      .execute()
    const after = { ...before, ...columns }
    await audit(rows, call, { verb: 'update', resourceType: 'component', resourceId: id, before, after })
  }
}
