import type { Selectable } from 'kysely'
import { notFound, ServiceError } from '../../../errors.ts'
import type { Principal, Writing } from '../../shared/context.ts'
import { checkEtag, computeEtag } from '../../shared/etag.ts'
import { cutPage, type Page } from '../../shared/paging.ts'
import { countRows } from '../../sql/count-rows.ts'
import type { Rows } from '../../sql/database.ts'
import type { AgentConfigRow } from '../../sql/schema-agents.ts'
import { requireAccess } from '../../workspace/access.ts'
import { audit } from '../../workspace/audit.ts'
import type { StoredProduct } from '../../workspace/products.ts'
import type { AgentDefinition } from '../define.ts'

export type StoredConfig = Selectable<AgentConfigRow>

export interface ConfigFacts {
  name?: string | undefined
  /** Without defaults; conforms to the schema of the type. */
  input?: Readonly<Record<string, unknown>> | undefined
  enabled?: boolean | undefined
  timeout_seconds?: number | undefined
}

const MOST_CONFIGS = 200
const DEFAULT_TIMEOUT_SECONDS = 300

/**
 * Creates a config. Without a name it gets the title of its type, with a number where that is taken. Throws `CONFIG_EXISTS`
 * for a given name that is taken, and `TOO_MANY_CONFIGS`.
 */
export async function createConfig(
  rows: Rows,
  call: Writing,
  { product, type, ...facts }: ConfigFacts & { product: Pick<StoredProduct, 'id'>; type: AgentDefinition },
): Promise<StoredConfig> {
  const taken = await readNames(rows, product.id)
  if (taken.size >= MOST_CONFIGS) throw tooMany()
  const config = await rows
    .insertInto('agent_config')
    .values({
      id: call.newId(),
      product_id: product.id,
      agent_type_id: type.id,
      name: facts.name === undefined ? freeName(type.title, taken) : refuseTaken(facts.name, taken),
      enabled: facts.enabled === false ? 0 : 1,
      input: JSON.stringify(facts.input ?? {}),
      timeout_seconds: facts.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS,
      created_by: JSON.stringify(call.actor),
      created_at: call.now(),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
  await audit(rows, call, { verb: 'create', resourceType: 'agent_config', resourceId: config.id, after: config })
  return config
}

/** The ids of the product's configs by their names. */
async function readNames(rows: Rows, productId: number): Promise<Map<string, string>> {
  const found = await rows
    .selectFrom('agent_config')
    .select(['id', 'name'])
    .where('product_id', '=', productId)
    .execute()
  return new Map(found.map(({ id, name }) => [name, id]))
}

function freeName(title: string, taken: ReadonlyMap<string, string>): string {
  let name = title
  for (let number = 2; taken.has(name); number += 1) name = `${title} ${String(number)}`
  return name
}

function refuseTaken(name: string, taken: ReadonlyMap<string, string>): string {
  const id = taken.get(name)
  if (id === undefined) return name
  throw new ServiceError(
    'already_exists',
    'a config of the product has this name; use that config, or choose another name',
    {
      reason: 'CONFIG_EXISTS',
      metadata: { existing_id: id },
      violations: [{ field: 'name', description: 'is taken' }],
    },
  )
}

function tooMany(): ServiceError {
  return new ServiceError(
    'failed_precondition',
    `a product has at most ${String(MOST_CONFIGS)} agent configs; delete one that is not used`,
    { reason: 'TOO_MANY_CONFIGS' },
  )
}

/** The config with that id and its product; `not_found` also when the principal is not a member of its workspace. */
export async function requireConfig(
  rows: Rows,
  principal: Principal,
  id: string,
): Promise<{ config: StoredConfig; product: StoredProduct }> {
  const missing = () => notFound('agent config', id, 'list the agent configs of the product')
  const { row: config, product } = await requireAccess(rows, principal, { table: 'agent_config', id }, missing)
  return { config, product }
}

/** The tag of a config: always the same, because a config never changes and its runs do not count. */
export function configEtag({ id }: StoredConfig): string {
  return computeEtag(id, 0)
}

/** Deletes a config; its runs are kept. Throws `ETAG_MISMATCH`. */
export async function deleteConfig(
  rows: Rows,
  call: Writing,
  { config, etag }: { config: StoredConfig; etag: string | undefined },
): Promise<void> {
  checkEtag(etag, configEtag(config))
  await rows.deleteFrom('agent_config').where('id', '=', config.id).execute()
  await audit(rows, call, { verb: 'delete', resourceType: 'agent_config', resourceId: config.id, before: config })
}

/** One page of the configs of a product, oldest first. */
export async function listConfigRows(rows: Rows, { productId, page }: { productId: number; page: Page }) {
  const { after } = page
  const all = rows.selectFrom('agent_config').where('product_id', '=', productId)
  const finding = all
    .selectAll()
    .$if(after !== undefined, (paged) => paged.where('seq', '>', Number(after?.sortValue)))
    .orderBy('seq')
    .limit(page.size + 1)
    .execute()
  const [total, found] = await Promise.all([countRows(all), finding])
  return cutPage(page, found, total, ({ seq, id }) => ({ sortValue: seq, id }))
}
