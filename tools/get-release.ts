import * as z from 'zod'
import { getRelease as endpoint, Release as ReleaseSchema } from '../src/contract/environments.ts'
import { Issue as IssueSchema } from '../src/contract/issues.ts'
import { counted } from '../src/lib/counted.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { issueName } from '../src/mcp/resolve/ids.ts'
import { ifOffered, notOfferedSentence } from '../src/mcp/resolve/offered.ts'
import type { Product, Release } from '../src/mcp/resolve/types.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { counts, fields, pick, rows } from '../src/mcp/result/output.ts'
import { toMinute } from '../src/mcp/result/present.ts'
import { compareName, hasText, knownName, quoted } from '../src/mcp/text/untrusted.ts'
import { vouchedName } from './support/columns.ts'
import { doubtfulEvidence, stateCell, titleWithCauses } from './support/lists/issue-cells.ts'
import { errorEvent } from './support/errors/issues.ts'
import { shortCommit, usualBranch } from './support/test-names.ts'

const { verdict } = endpoint.returns.shape

export const getRelease = defineTool({
  name: 'get_release',
  toolset: 'releases',
  effect: 'read',
  title: 'Read one release',
  description:
    'Show one release: its commit, when it was released, the one before it, its verdict, and the errors that ' +
    'first appeared in it.',
  input: z.strictObject({
    product: parameters.Product,
    release: z.string().min(1).describe('Release id, or version: in production, if it is there.'),
    limit: parameters.Limit,
  }),
  output: z.object({
    release: fields({
      id: z.string(),
      version: z.string(),
      environment: z.string(),
      commit: z.string(),
      git_branch: z.string(),
      ...pick(ReleaseSchema, 'released_at', 'first_event_at', 'last_event_at', 'sequence'),
      previous: z.string(),
    }),
    also_in: rows({ id: z.string(), environment: z.string() }).optional(),
    counts: fields(counts('new_issues', 'regressed_issues', 'events', 'source_maps')).optional(),
    verdict: fields(pick(verdict.unwrap(), 'status', 'computed_at')).optional(),
    rows: rows({
      id: z.string(),
      status: IssueSchema.shape.status,
      state: z.string(),
      ...counts('times_seen', 'users'),
      last_seen_utc: z.string(),
      evidence: z.string(),
    }).optional(),
  }),
  cuts: [{ path: 'also_in', least: 3 }, { path: 'rows' }],

  async run({ product: given, release: named, limit }, context) {
    const { api, resolve, signal } = context
    const product = await resolve.product(given)
    const { release: found, others } = await findRelease(named, product, context)
    const [read, list, products] = await Promise.all([
      ifOffered(api.getRelease({ id: found.id }, { signal })),
      readNewIssues(found, product, limit, context),
      resolve.products(),
    ])
    const { release, previous, verdict } = read ?? { release: found }
    const issues = list?.issues.map((issue) => ({ issue, id: issueName(issue, products) }))
    const version = vouchedName(release.version, release.known)
    const missing = notOfferedSentence([
      read === undefined && 'single releases',
      list === undefined && 'the issues of a release',
    ])
    const total = release.counts?.new_issues
    const [first] = issues ?? []
    return {
      answer: `${releaseSentence(release, issues?.length)}${missing}`,
      product,
      data: {
        release: {
          ...release,
          version,
          environment: vouchedName(release.environment, release.environment_known),
          commit: shortCommit(release.commit_sha),
          git_branch: usualBranch(release.git_branch),
          previous: previous === null ? undefined : vouchedName(previous?.title, previous?.known),
        },
        also_in: others.map((other) => ({
          id: other.id,
          environment: vouchedName(other.environment, other.environment_known),
        })),
        counts: release.counts,
        verdict: verdict ?? undefined,
        rows: issues?.map(({ issue, id }) => ({
          ...issue,
          id,
          state: stateCell(issue),
          users: issue.users_affected === 0 ? undefined : issue.users_affected,
          last_seen_utc: toMinute(issue.last_seen),
          evidence: doubtfulEvidence(issue),
        })),
      },
      untrusted: {
        ...errorEvent,
        content: {
          release: unvouched(release),
          rows: issues?.map(({ issue, id }) => ({ id, title: titleWithCauses(issue) })),
        },
      },
      cut:
        issues !== undefined && total !== undefined && total > issues.length
          ? [`rows: ${issues.length} of ${total}`]
          : [],
      howToGetMore: 'find_error_issues with this release and first_seen_in_release',
      next: [
        first && nextCall('get_error_issue', { issue: first.id }, 'details of the first row'),
        nextCall('find_error_issues', { product: product.id, release: release.id }, 'all its unresolved issues'),
      ],
    }
  },
})

/**
 * The release, and those of the same version in other environments: a version means the one in production, else the
 * newest.
 */
async function findRelease(named: string, product: Product, { resolve }: Context) {
  const listed = await ifOffered(resolve.releases(product.id, { version: named }))
  const same = listed?.rows.filter((row) => compareName(row.version, named) === 'exact') ?? []
  const [newest] = same
  if (newest === undefined || same.length === 1)
    return { release: newest ?? (await resolve.release(product.id, named, undefined)), others: [] }
  const environments = await ifOffered(resolve.environments(product.id))
  const live = environments?.rows.filter(({ kind }) => kind === 'ENVIRONMENT_KIND_PRODUCTION').map(({ id }) => id)
  const release = same.find(({ environment_id: id }) => id !== undefined && live?.includes(id) === true) ?? newest
  return { release, others: same.filter((row) => row !== release) }
}

/** The issues that the release brought: by its own list, else by the filter of the general one. */
async function readNewIssues(release: Release, product: Product, limit: number, { api, signal }: Context) {
  const page = { page_size: limit }
  const own = await ifOffered(api.listReleaseIssues({ release_id: release.id, ...page }, { signal }))
  if (own !== undefined) return own
  const query = { product_id: product.id, first_release_id: release.id, ...page }
  const list = await ifOffered(api.listIssues(query, { signal }))
  return list?.reading.notApplied.includes('first_release_id') === true ? undefined : list
}

function releaseSentence(release: Release, shown: number | undefined): string {
  const version = knownName(release.version, release.known) ?? 'The release'
  const place = knownName(release.environment, release.environment_known) ?? 'its environment'
  const { new_issues: fresh = shown, regressed_issues: back = 0 } = release.counts ?? {}
  const when = release.released_at ? `, released ${toMinute(release.released_at) ?? ''}` : ''
  const brought = fresh === undefined ? 'new error issues not stated' : `${counted(fresh, 'new error issue')}`
  const regressed = back === 0 ? '' : `, ${counted(back, 'issue')} came back`
  return `${version} in ${place}${when}: ${brought}${regressed}.`
}

/** Names that the workspace does not vouch for. */
function unvouched({ version, known, environment, environment_known: placeKnown, git_branch: branch }: Release) {
  const shown = {
    version: knownName(version, known) === undefined && hasText(version) ? quoted`${version}`.cut(120) : undefined,
    environment:
      knownName(environment, placeKnown) === undefined && hasText(environment)
        ? quoted`${environment}`.cut(120)
        : undefined,
    git_branch: usualBranch(branch) === undefined && hasText(branch) ? quoted`${branch}`.cut(120) : undefined,
  }
  return Object.values(shown).some((one) => one !== undefined) ? shown : undefined
}
