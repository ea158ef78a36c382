import type { ResponseOf } from '../../../../src/contract/index.ts'
import type { App } from '../../../app.ts'
import { tinyMap, upload } from '../../errors/sourcemaps/uploads/rig.ts'

export type Answer = ResponseOf<'getFixContext'>['fix_context']
type Issue = ResponseOf<'listIssues'>['issues'][number]

/** A frame of the team's code. */
export const own = (path: string, name: string, lineno: number, more: Record<string, unknown> = {}) => ({
  function: name,
  filename: path,
  lineno,
  colno: 1,
  in_app: true,
  ...more,
})

/** A frame of a library. */
export const library = (name: string, more: Record<string, unknown> = {}) => ({
  function: name,
  filename: `/srv/app/node_modules/express/${name}.js`,
  lineno: 1,
  colno: 1,
  in_app: false,
  ...more,
})

/** The `exception` member of an event: each with its stack, root cause first. */
export const thrown = (...stacks: { type: string; value?: string; frames: Record<string, unknown>[] }[]) => ({
  values: stacks.map(({ type, value = 'failed', frames }) => ({ type, value, stacktrace: { frames } })),
})

/** The issues of the product, the newest first. */
export async function issuesOf(app: App): Promise<Issue[]> {
  const path = `/v1/products/${app.productId}/issues?sort=first_seen&page_size=200`
  return (await app.request<ResponseOf<'listIssues'>>('GET', path)).body.issues
}

/** The fix context of an issue, of the only one unless one is named. */
export async function fixContextOf(app: App, query: Record<string, string> = {}, issueId?: string): Promise<Answer> {
  const id = issueId ?? (await issuesOf(app))[0]!.id
  const path = `/v1/products/${app.productId}/issues/${id}/fix-context?${new URLSearchParams(query).toString()}`
  const reply = await app.request<ResponseOf<'getFixContext'>>('GET', path)
  if (reply.status !== 200) throw new Error(JSON.stringify(reply.body))
  return reply.body.fix_context
}

/** Uploads a source map with these sources. */
export async function giveSources(app: App, ...sources: string[]): Promise<void> {
  const map = tinyMap({ sources, sourcesContent: sources.map(() => '') })
  const { status, body } = await upload(app, { file_name: 'given.js.map', release: 'given@1' }, map)
  if (status !== 200) throw new Error(JSON.stringify(body))
}
