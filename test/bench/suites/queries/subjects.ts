import type { App } from '../../../app.ts'

/** What the pages are about, by role. */
export interface Subjects {
  productId: string
  workspace: string
  /** The issue with most occurrences, and one with few. */
  loud: string
  quiet: string
  /** The newest occurrence of the loud one. */
  event: string
  /** A release in production. */
  newest: string
  requirement: string
  /** Ids by the words that filters use. */
  named: Readonly<Record<string, string>>
  /** Tokens of the tenth page of issues, by the filter's text. */
  tenth: Readonly<Record<string, string>>
}

export async function findSubjects(app: App): Promise<Subjects> {
  const { productId } = app
  const product = `/v1/products/${productId}`
  const get = async <T>(path: string) => (await app.request<T>('GET', path)).body
  const { environments } = await get<{ environments: { id: string; name: string }[] }>(`${product}/environments`)
  const environment = (name: string) => environments.find((one) => one.name === name)?.id ?? ''
  const release = async (version: string) =>
    app.db.read
      .selectFrom('release')
      .select('id')
      .where('version', '=', version)
      .where('environment_id', '=', environment('production'))
      .executeTakeFirstOrThrow()
  const workspace = await app.db.read.selectFrom('workspace').select('id').executeTakeFirstOrThrow()
  const { issues } = await get<{ issues: { id: string }[] }>(`${product}/issues?sort=times_seen`)
  const [loud, quiet] = [issues[0]?.id ?? '', issues[40]?.id ?? '']
  const { events } = await get<{ events: { id: string; sdk_event_id: string }[] }>(`/v1/issues/${loud}/events`)
  const { components } = await get<{ components: { id: string }[] }>(`${product}/components`)
  const { requirements } = await get<{ requirements: { id: string }[] }>(`${product}/requirements?page_size=1`)
  const [newest, oldest] = [await release('shop@2.29.0'), await release('shop@2.0.0')]
  const inProduction = `environment_id=${environment('production')}`
  return {
    productId,
    workspace: workspace.id,
    loud,
    quiet,
    event: events[0]?.id ?? '',
    newest: newest.id,
    requirement: requirements[0]?.id ?? '',
    named: {
      production: environment('production'),
      qa: environment('qa'),
      newest: newest.id,
      oldest: oldest.id,
      component: components[0]?.id ?? '',
      'sdk event': events[0]?.sdk_event_id ?? '',
    },
    tenth: {
      '': await tenthPage(get, `${product}/issues?`),
      [inProduction]: await tenthPage(get, `${product}/issues?${inProduction}`),
    },
  }
}

async function tenthPage(get: <T>(path: string) => Promise<T>, path: string): Promise<string> {
  let token = ''
  for (let page = 1; page < 10; page += 1) {
    const { next_page_token: next } = await get<{ next_page_token: string }>(`${path}&page_token=${token}`)
    token = next
  }
  return token
}
