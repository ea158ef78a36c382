import { randomBytes } from 'node:crypto'
import { hashToken, newToken } from '../../../src/service/workspace/tokens.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { App } from '../../app.ts'

/** A person with a workspace, a product and things in it; `mark` is in all of their texts and in nothing of others. */
export interface Principal {
  mark: string
  token: string
  product: string
  prefix: string
  issue: string
  requirement: string
}

/** A further person, who shares nothing with the owner of the app. */
export async function addPrincipal(app: App, mark: string, prefix: string): Promise<Principal> {
  const token = newToken()
  const [workspace, user] = [systemPlatform.newId(), systemPlatform.newId()]
  await app.db.write(async (rows) => {
    const at = { created_at: 0, updated_at: 0 }
    await rows
      .insertInto('workspace')
      .values({ id: workspace, slug: mark, name: `Workspace ${mark}`, ...at })
      .execute()
    const person = { id: user, email: `${mark}@example.test`, display_name: `Person ${mark}` }
    await rows
      .insertInto('user')
      .values({ ...person, onboarding_updated_at: null, created_at: 0 })
      .execute()
    const member = { workspace_id: workspace, user_id: user, role: 'WORKSPACE_ROLE_OWNER' }
    await rows.insertInto('workspace_member').values(member).execute()
  })
  await addToken(app, user, token)
  const headers = { authorization: `Bearer ${token}` }
  const made = async <T>(path: string, body: object) => {
    const reply = await app.request<T>('POST', path, body, headers)
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const { product } = await made<{ product: { id: string; ingest: { dsn: string } } }>(
    `/v1/workspaces/${workspace}/products`,
    { name: `Product ${mark}`, key_prefix: prefix },
  )
  const key = new URL(product.ingest.dsn).username
  for (const at of [1, 2, 3]) {
    const frames = [
      { function: `${mark}${String(at)}`, filename: `src/${mark}${String(at)}.ts`, lineno: at, in_app: true },
    ]
    const event = {
      event_id: randomBytes(16).toString('hex'),
      exception: { values: [{ type: `Error${String(at)}`, value: `failed for ${mark}`, stacktrace: { frames } }] },
      release: `${mark}@1`,
    }
    await made(`/api/${product.id}/store/?svc_key=${key}`, event)
    await made(`/v1/products/${product.id}/requirements`, {
      title: `Rule ${String(at)} of ${mark}`,
      statement: `The shop of ${mark} shall keep its orders.`,
    })
  }
  return { mark, token, product: product.id, prefix, issue: `${prefix}-1`, requirement: 'REQ-1' }
}

async function addToken(app: App, user: string, token: string): Promise<void> {
  const row = { id: systemPlatform.newId(), user_id: user, name: 'test', hash: hashToken(token), created_at: 0 }
  const validity = { expires_at: null, revoked_at: null, last_used_at: null }
  await app.db.write((rows) =>
    rows
      .insertInto('token')
      .values({ ...row, ...validity, scopes: '["write"]', kind: 'person' })
      .execute(),
  )
}
