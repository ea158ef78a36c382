import { sql, type Selectable } from 'kysely'
import type { InputOf } from '../../../contract/index.ts'
import { notFound, ServiceError, type FieldViolation } from '../../../errors.ts'
import type { Writing } from '../../shared/context.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import { readTexts } from '../../sql/json.ts'
import type { ComponentRow } from '../../sql/schema.ts'
import { audit } from '../audit.ts'
import { compileComponentRows, overlaps } from './components.ts'
import { validateGlob } from './glob.ts'
import { slugify } from '../products.ts'

export type StoredComponent = Selectable<ComponentRow>
type ComponentFields = Omit<InputOf<'createComponent'>, 'product_id' | 'request_id' | 'validate_only'>

/** Throws `GLOB_INVALID` for globs that cannot be matched, with a violation for each. */
export function checkGlobs(lists: Readonly<Record<string, readonly string[]>>): void {
  const violations = Object.entries(lists).flatMap(([list, globs]) =>
    globs.flatMap((glob, index): FieldViolation[] => {
      const problem = validateGlob(glob)
      return problem === undefined ? [] : [{ field: `${list}.${index}`, description: problem }]
    }),
  )
  const [first] = violations
  if (first === undefined) return
  throw new ServiceError('invalid_argument', `${first.field}: ${first.description}`, {
    reason: 'GLOB_INVALID',
    violations,
  })
}

/**
 * Creates a component inside the caller's transaction, after the existing ones unless it has a position. Returns it
 * with the globs of others that match some of the same paths. Throws `COMPONENT_EXISTS` for a slug that is taken,
 * `not_found` for a parent of another product.
 */
export async function createComponent(
  rows: Rows,
  call: Writing,
  productId: number,
  fields: ComponentFields,
): Promise<{ component: StoredComponent; overlaps: ReturnType<typeof overlaps> }> {
  const siblings = await rows
    .selectFrom('component')
    .select(['id', 'slug', 'path_globs'])
    .where('product_id', '=', productId)
    .execute()
  const slug = slugify(fields.name)
  const taken = siblings.find((sibling) => sibling.slug === slug)
  if (taken !== undefined) throw slugTaken(slug, taken.id)
  const parent = fields.parent_id ?? ''
  if (parent !== '' && !siblings.some(({ id }) => id === parent)) {
    throw notFound('component', parent, 'list the components of the product')
  }
  const now = call.now()
  const component = await rows
    .insertInto('component')
    .values({
      id: call.newId(),
      product_id: productId,
      parent_id: parent,
      name: fields.name,
      slug,
      description: fields.description ?? '',
      path_globs: JSON.stringify(fields.path_globs),
      exclude_globs: JSON.stringify(fields.exclude_globs ?? []),
      owners: JSON.stringify(fields.owners ?? []),
      criticality: fields.criticality ?? 'RISK_LEVEL_MEDIUM',
      position: fields.position ?? siblings.length,
      tags: JSON.stringify(fields.tags ?? []),
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'component', resourceId: component.id, after: component })
  const existing = siblings.map(({ id, path_globs }) => ({ id, path_globs: readTexts(path_globs) }))
  return { component, overlaps: overlaps(fields.path_globs, existing) }
}

/**
 * One page of a product's components by position. `q` keeps those with the text in name, slug or description, `path`
 * the one that owns the path.
 */
export async function listComponentRows(
  rows: Rows,
  { productId, path, q, page }: { productId: number; path: string | undefined; q: string | undefined; page: Page },
) {
  const { after } = page
  const owner = path === undefined ? undefined : await findOwner(rows, productId, path)
  const all = rows
    .selectFrom('component')
    .where('product_id', '=', productId)
    .$if(path !== undefined, (query) => query.where('id', '=', owner ?? ''))
    .$if(q !== undefined, (query) => query.where(rows.dialect.anyContains(['name', 'slug', 'description'], q ?? '')))
  const finding = all
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(position, id) > (${after?.sortValue}, ${after?.id})`),
    )
    .orderBy('position')
    .orderBy('id')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ position, id }) => ({ sortValue: position, id }))
}

function slugTaken(slug: string, existingId: string): ServiceError {
  return new ServiceError('already_exists', `a component with the slug ${slug} exists: ${existingId}; use that one`, {
    reason: 'COMPONENT_EXISTS',
    metadata: { existing_id: existingId },
    violations: [{ field: 'name', description: 'gives a slug that is taken' }],
  })
}

async function findOwner(rows: Rows, productId: number, path: string): Promise<string | undefined> {
  const components = await rows
    .selectFrom('component')
    .select(['id', 'path_globs', 'exclude_globs', 'position'])
    .where('product_id', '=', productId)
    .execute()
  return compileComponentRows(components).findOwner(path.replace(/^\.?\//, ''))
}
