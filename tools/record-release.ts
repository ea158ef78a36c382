import * as z from 'zod'
import { Release as ReleaseSchema } from '../src/contract/environments.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { explainNotOffered, ifOffered } from '../src/mcp/resolve/offered.ts'
import { rowsSearched } from '../src/mcp/resolve/requests.ts'
import type { Product, Release } from '../src/mcp/resolve/types.ts'
import { nextCall, type NextAction } from '../src/mcp/result/next-action.ts'
import { fields, flag } from '../src/mcp/result/output.ts'
import { isShowable } from '../src/mcp/result/teach.ts'
import { compareName, isSameName, textMatching } from '../src/mcp/text/untrusted.ts'
import { vouchedName } from './support/columns.ts'
import { shortCommit } from './support/test-names.ts'
import { PREVIEW } from './support/words.ts'
import { ifReadable, mayBeDone, READ_BACK, unknownOutcome } from './support/writes/outcome.ts'

const COMMIT = /^[0-9a-f]{7,64}$/i

const input = z.strictObject({
  product: parameters.Product,
  version: z.string().trim().min(1).max(250).describe('Version, as SDKs send it.'),
  environment: parameters.named('Environment name.', z.string().trim().min(1).max(64)),
  commit: parameters.named('Commit hash.', z.string().regex(COMMIT, 'a commit hash of 7 to 64 hex digits').optional()),
  dry_run: parameters.DryRun,
})

export const recordRelease = defineTool({
  name: 'record_release',
  toolset: 'releases',
  // The same release again is the same row.
  effect: 'update',
  title: 'Record a release',
  description:
    'Record (register) a new release or deploy: version, environment and commit; or update it. ' +
    'Tells the error tracker what is live where. Safe to repeat; it deploys nothing.',
  input,
  output: z.object({
    dry_run: flag.optional(),
    outcome: z.enum(['created', 'would_create', 'updated', 'would_update', 'already', 'not_stated']),
    release: fields({
      id: z.string().optional(),
      version: z.string(),
      environment: z.string(),
      commit: z.string(),
      released_at: ReleaseSchema.shape.released_at,
      sequence: ReleaseSchema.shape.sequence,
    }),
    commit_before: z.string().optional(),
    new_environment: flag.optional(),
    undo: z.string().optional(),
  }),

  async run(args, context) {
    const product = await context.resolve.product(args.product, { write: true })
    const before = await findRelease(args, product, context)
    const environments = await ifOffered(context.resolve.environments(product.id))
    const isNewPlace =
      environments !== undefined &&
      rowsSearched(environments) === undefined &&
      !environments.rows.some(({ name }) => isSameName(name, args.environment))
    const change = changeFor(args, before)
    const isWritten = !args.dry_run && change !== 'none'
    const written = isWritten ? await write(args, product, context) : undefined
    const release = written?.release ?? before.release
    const outcome = outcomeWord(change, args.dry_run, written?.created)
    const old = shortCommit(before.release?.commit_sha)
    const undo = outcome === 'updated' ? undoCall(args, before, product) : undefined
    return {
      answer: `${sentence(outcome, args)}${isNewPlace ? placeWords(outcome) : ''}${written?.isReadBack === true ? READ_BACK : ''}`,
      product,
      data: {
        dry_run: args.dry_run,
        outcome,
        release: { ...release, ...names(release), commit: shortCommit(release?.commit_sha) },
        commit_before: change === 'update' ? old : undefined,
        new_environment: isNewPlace,
        undo: undoNote(outcome, undo !== undefined),
      },
      next: nextCalls(release, product, undo, args.dry_run),
    }
  },
})

type Arguments = z.output<typeof input>
type Change = 'create' | 'update' | 'none' | 'not_stated'

interface Found {
  release: Release | undefined
  /** Whether the deployment looked the release up, so that none means none. */
  isSure: boolean
}

/** The release of this version in this environment. */
async function findRelease({ version, environment }: Arguments, { id }: Product, { resolve }: Context): Promise<Found> {
  const listed = await ifOffered(resolve.releases(id, { version }))
  const release = listed?.rows.find(
    (row) => compareName(row.version, version) === 'exact' && isSameName(row.environment, environment),
  )
  return { release, isSure: listed !== undefined && rowsSearched(listed, 'version') === undefined }
}

/** What the call changes; a release that only events named is taken over by the member who records it. */
function changeFor({ commit }: Arguments, { release, isSure }: Found): Change {
  if (release === undefined) return isSure ? 'create' : 'not_stated'
  const isSame = commit === undefined || release.commit_sha?.isNamed(commit) === true
  return isSame && release.known !== false ? 'none' : 'update'
}

/** Records the release. Where the reply is lost, a read decides whether it was done. */
async function write(args: Arguments, product: Product, context: Context) {
  const { version, environment, commit: commit_sha } = args
  const { api, signal } = context
  try {
    const answer = await api.upsertRelease(
      { product_id: product.id, version, environment, ...(commit_sha !== undefined && { commit_sha }) },
      { signal },
    )
    return { ...answer, isReadBack: false }
  } catch (error) {
    if (!mayBeDone(error)) return explainRefusal(error)
    const found = await ifReadable(findRelease(args, product, context))
    if (found?.release !== undefined && changeFor(args, found) === 'none')
      return { release: found.release, created: undefined, isReadBack: true }
    const list = { product: product.id, include: ['releases'] }
    throw unknownOutcome(error, { next: nextCall('get_workspace_context', list, 'lists releases') })
  }
}

const explainRefusal = explainNotOffered('the recording of releases', {
  hint: 'events and source maps still name their release themselves.',
})

type Outcome = 'created' | 'would_create' | 'updated' | 'would_update' | 'already' | 'not_stated'

function outcomeWord(change: Change, isPreview: boolean, created: boolean | undefined): Outcome {
  if (change === 'none') return 'already'
  if (isPreview) return change === 'create' ? 'would_create' : change === 'update' ? 'would_update' : 'not_stated'
  // A request that was repeated finds what its first attempt created.
  return change === 'create' || (change === 'not_stated' && created === true) ? 'created' : 'updated'
}

function sentence(outcome: Outcome, { version, environment }: Arguments): string {
  const [release, place] = [shownOr(version, 'the release'), shownOr(environment, 'the environment')]
  const what = `${release} in ${place}`
  switch (outcome) {
    case 'already':
      return `${what} is recorded like this already; nothing was changed.`
    case 'created':
      return `Recorded ${what}.`
    case 'updated':
      return `Updated ${what}.`
    case 'not_stated':
      return `${PREVIEW}would record ${what}; this deployment does not say whether it is there.`
    case 'would_create':
    case 'would_update':
      return `${PREVIEW}would ${outcome === 'would_create' ? 'record' : 'update'} ${what}.`
  }
}

/** A name that the caller gave: it may have been copied from an event. */
function shownOr(name: string, instead: string): string {
  return isShowable(name) ? name : instead
}

function placeWords(outcome: Outcome): string {
  return ` The environment ${outcome.startsWith('would') || outcome === 'not_stated' ? 'would be' : 'is'} new.`
}

function names(release: Release | undefined) {
  return {
    version: vouchedName(release?.version, release?.known),
    environment: vouchedName(release?.environment, release?.environment_known),
  }
}

/** The call that sets the old commit again, where there was one. */
function undoCall(
  { version, environment, commit }: Arguments,
  { release }: Found,
  { id }: Product,
): NextAction | undefined {
  const old = textMatching(release?.commit_sha, COMMIT)
  if (commit === undefined || old === undefined || !isShowable(version) || !isShowable(environment)) return undefined
  return nextCall('record_release', { product: id, version, environment, commit: old }, 'sets the old commit again')
}

function undoNote(outcome: Outcome, hasCall: boolean): string | undefined {
  if (outcome === 'created') return 'no call removes a release'
  return outcome === 'updated' && !hasCall ? 'no call takes this back' : undefined
}

function nextCalls(
  release: Release | undefined,
  { id: product }: Product,
  undo: NextAction | undefined,
  isPreview: boolean,
) {
  if (isPreview || release === undefined) return []
  return [undo, nextCall('get_release', { product, release: release.id }, 'the release with its new issues')]
}
