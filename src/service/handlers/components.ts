import { sql, type Selectable } from 'kysely'
import { notFound, ServiceError, type FieldViolation } from '../../errors.ts'
import { audit } from '../workspace/audit.ts'
import { compileComponents, overlaps } from '../workspace/components.ts'
import { validateGlob } from '../workspace/glob.ts'
import type { Handlers } from '../shared/context.ts'
import { requireProduct } from '../workspace/access.ts'
import { slugOf } from '../workspace/products.ts'
import { viewComponents } from '../workspace/component-view.ts'
import { cutPage, readPage } from '../shared/paging.ts'
import type { Rows } from '../sql/database.ts'
import type { ComponentRow } from '../sql/schema.ts'
import { readTexts } from '../sql/json.ts'

/** Handlers of components; `onComponentsChanged` is told after each change, to attribute unresolved issues anew. */
export function componentHandlers({ onComponentsChanged }: { onComponentsChanged: (productId: number) => void }) {
  return {
    async createComponent(input, call) {
      checkGlobs({ path_globs: input.path_globs, exclude_globs: input.exclude_globs ?? [] })
      const answer = await call.db.write(async (rows) => {
        const product = await requireProduct(rows, call.principal, input.product_id)
        const siblings = await rows
          .selectFrom('component')
          .select(['id', 'slug', 'path_globs'])
          .where('product_id', '=', product.id)
          .execute()
        const slug = slugOf(input.name)
        const taken = siblings.find((sibling) => sibling.slug === slug)
        if (taken !== undefined) throw slugTaken(slug, taken.id)
        const parent = input.parent_id ?? ''
        if (parent !== '' && !siblings.some(({ id }) => id === parent)) {
          throw notFound('component', parent, 'list the components of the product')
        }
        const now = call.now()
        const row = await rows
          .insertInto('component')
          .values({
            id: call.newId(),
            product_id: product.id,
            parent_id: parent,
            name: input.name,
            slug,
            description: input.description ?? '',
            path_globs: JSON.stringify(input.path_globs),
            exclude_globs: JSON.stringify(input.exclude_globs ?? []),
            owners: JSON.stringify(input.owners ?? []),
            criticality: input.criticality ?? 'RISK_LEVEL_MEDIUM',
            position: input.position ?? siblings.length,
            tags: JSON.stringify(input.tags ?? []),
            created_at: now,
            updated_at: now,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        await audit(rows, call, { verb: 'create', resourceType: 'component', resourceId: row.id, after: row })
        const [component] = await viewComponents(rows, now, [row])
        if (component === undefined) throw new Error('a component that was just inserted has no view')
        const existing = siblings.map(({ id, path_globs }) => ({ id, path_globs: readTexts(path_globs) }))
        return { component, overlaps: overlaps(input.path_globs, existing) }
      })
      if (!call.validateOnly) onComponentsChanged(Number(input.product_id))
      return answer
    },

    async listComponents(input, call) {
      const { db, principal } = call
      const product = await requireProduct(db.read, principal, input.product_id)
      const page = readPage(input)
      const { after } = page
      const { path, q } = input
      const owner = path === undefined ? undefined : await ownerOf(db.read, product.id, path)
      const all = db.read
        .selectFrom('component')
        .where('product_id', '=', product.id)
        .$if(path !== undefined, (query) => query.where('id', '=', owner ?? ''))
        .$if(q !== undefined, (query) => query.where(contains(q ?? '')))
      const { total } = await all.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const found = await all
        .selectAll()
        .$if(after !== undefined, (query) =>
          query.where(sql<boolean>`(position, id) > (${after?.sortValue}, ${after?.id})`),
        )
        .orderBy('position')
        .orderBy('id')
        .limit(page.size + 1)
        .execute()
      const { rows, paging } = cutPage(page, found, total, ({ position, id }) => ({ sortValue: position, id }))
      return { components: await viewComponents(db.read, call.now(), rows), ...paging }
    },
  } satisfies Handlers<'createComponent' | 'listComponents'>
}

/** Refuses globs that could not be matched, each named. */
function checkGlobs(lists: Readonly<Record<string, readonly string[]>>) {
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

function slugTaken(slug: string, existingId: string): ServiceError {
  return new ServiceError('already_exists', `a component with the slug ${slug} exists: ${existingId}; use that one`, {
    reason: 'COMPONENT_EXISTS',
    metadata: { existing_id: existingId },
    violations: [{ field: 'name', description: 'gives a slug that is taken' }],
  })
}

async function ownerOf(rows: Rows, productId: number, path: string): Promise<string | undefined> {
  const components = await rows
    .selectFrom('component')
    .select(['id', 'path_globs', 'exclude_globs', 'position'])
    .where('product_id', '=', productId)
    .execute()
  return compileComponents(components.map(parsedGlobs)).findOwner(path.replace(/^\.?\//, ''))
}

function parsedGlobs(row: Pick<Selectable<ComponentRow>, 'id' | 'path_globs' | 'exclude_globs' | 'position'>) {
  return { ...row, path_globs: readTexts(row.path_globs), exclude_globs: readTexts(row.exclude_globs) }
}

/** Rows whose name, slug or description holds the text, whatever its case. */
function contains(text: string) {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`(name LIKE ${pattern} ESCAPE '\\' OR slug LIKE ${pattern} ESCAPE '\\' OR description LIKE ${pattern} ESCAPE '\\')`
}
