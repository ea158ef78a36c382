import * as z from 'zod'
import type { ReceivedResult } from '../src/client/api.ts'
import type { InputOf, ResultOf } from '../src/contract/index.ts'
import { decodeText } from '../src/lib/text.ts'
import { type Context, defineTool } from '../src/mcp/define/define.ts'
import * as parameters from '../src/mcp/define/parameters.ts'
import { branchesCall, findOpen } from '../src/mcp/resolve/find-branch.ts'
import { isUuid } from '../src/mcp/resolve/ids.ts'
import { explainNotOffered, ifOffered } from '../src/mcp/resolve/offered.ts'
import { nextCall } from '../src/mcp/result/next-action.ts'
import { fields, rows, teamLine, upTo } from '../src/mcp/result/output.ts'
import { describeValue, TeachingError } from '../src/mcp/result/teach.ts'
import { sentencesOffered } from '../src/mcp/surface/naming.ts'
import { teamText } from '../src/mcp/text/team.ts'
import { keyOrId, listed, rowTitle } from './support/columns.ts'
import { cutNames, kept } from './support/cuts.ts'
import { countWords } from './support/words.ts'
import { mayBeDone, unknownOutcome } from './support/writes/outcome.ts'

type Distillation = ReceivedResult<ResultOf<'distillIntent'>>['distillation']
type Proposal = NonNullable<Distillation['proposals']>[number]

const MOST_BYTES = 2 * 1024 * 1024
const quote = upTo(teamLine, 300)
/** The most drafts and skipped lines in one answer. */
const ROWS = 60
const SKIPPED = 10

const input = z.strictObject({
  product: parameters.Product,
  intent: z.string().min(1).optional().describe("What should change and why, in the user's words."),
  path: z.string().min(1).optional().describe('Text, Markdown or Gherkin file instead.'),
  items: z
    .array(
      z.strictObject({
        title: parameters.named('One line.', z.string().trim().min(1).max(200)),
        statement: parameters.named('The rule, in a sentence.', z.string().max(20_000).optional()),
        criteria: parameters.named(
          'Acceptance criteria, one each.',
          z.array(z.string().min(1).max(4000)).min(1).max(100).optional(),
        ),
        requirement: z.string().max(40).optional().describe('Key of the one it changes.'),
        retire: z.boolean().optional().describe('It no longer holds.'),
      }),
    )
    .min(1)
    .max(50)
    .optional()
    .describe('Requirements already written, instead.'),
  branch: z.string().trim().min(1).max(120).optional().describe('Quality branch to add to, or the name of a new one.'),
})
type Arguments = z.output<typeof input>

export const distillIntent = defineTool({
  name: 'distill_intent',
  toolset: 'default',
  effect: 'create',
  // It drafts on a branch; nothing of the main tree changes.
  level: () => 0,
  title: 'Turn a change request into a quality branch',
  description:
    'Plan a feature or change request: turn a discussion, specification, user stories or Gherkin into draft requirements ' +
    'with criteria and source quotes on a quality branch (not a git branch), compared with what exists. ' +
    'Nothing reaches the main set until merge. Then review_branch.',
  input,
  output: z.object({
    branch: fields({ id: z.string().optional(), name: teamLine }).optional(),
    document: teamLine.optional(),
    errors: rows({ lines: z.string(), quote, error: upTo(teamLine, 300) }).optional(),
    decisions: rows({
      id: z.string().optional(),
      title: rowTitle,
      lines: z.string(),
      quote,
      before: quote,
      after: quote,
      differs: upTo(teamLine, 200),
      also_changed_in: teamLine,
    }).optional(),
    drafts: rows({
      id: z.string().optional(),
      action: z.string(),
      title: rowTitle,
      criteria: z.int(),
      lines: z.string(),
      quote,
      matches: rowTitle,
      also_changed_in: teamLine,
    }).optional(),
    questions: rows({ id: z.string().optional(), question: upTo(teamLine, 200) }).optional(),
    skipped: rows({ lines: z.string(), reason: z.string(), text: upTo(teamLine, 80) }).optional(),
  }),
  cuts: [
    { path: 'skipped', least: 0 },
    { path: 'questions', least: 0 },
    { path: 'drafts.*.quote', least: 120 },
    { path: 'drafts', least: 20 },
    { path: 'decisions', least: 5 },
  ],

  async run(args, context) {
    const product = await context.resolve.product(args.product, { write: true })
    const distillation = await distil({ product_id: product.id, ...(await readSource(args, context)) }, args, context)
    const { branch, proposals = [], skipped = [], truncation_signals: signals = [] } = distillation
    const names = branch === null || branch === undefined ? undefined : { id: branch.id, name: branch.name }
    const [errors, rest] = split(proposals, ({ action }) => action === 'DISTILL_ACTION_ERROR')
    const [decisions, drafts] = split(rest, ({ needs_decision: decides }) => decides === true)
    const questions = rest.flatMap((proposal) =>
      (proposal.lint ?? []).map(({ message }) => ({ id: draftName(proposal), question: message })),
    )
    return {
      answer: sentence(distillation),
      product,
      data: {
        branch: names,
        document: args.path,
        errors: errors.map(({ source, error }) => ({ ...sourceColumns(source), error })),
        decisions: decisions.slice(0, ROWS).map(decisionRow),
        drafts: drafts.slice(0, ROWS).map(draftRow),
        questions,
        skipped: skipped.slice(0, SKIPPED).map(({ line, reason, quote: text }) => ({
          lines: line === undefined ? undefined : String(line),
          reason,
          // What is too long to be read says nothing by its first words.
          text: reason === 'TOO_LONG' ? undefined : text,
        })),
      },
      cut: cutNames(signals, { drafts: kept(drafts, ROWS), skipped: kept(skipped, SKIPPED) }),
      howToGetMore: sentencesOffered(
        'review_branch lists all drafts. Send the rest of a long text in a further call.',
        context.offers,
      ),
      next: [
        names &&
          nextCall(
            'review_branch',
            { product: product.id, branch: names.id },
            'conflicts, effect on coverage and gate',
          ),
      ],
    }
  },
})

function split<T>(items: readonly T[], test: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

type Request = InputOf<'distillIntent'>
type Source = Pick<Request, 'text' | 'documents' | 'items' | 'branch_id' | 'branch_name'>

/** The one source of the three that was given, and the branch that it goes to. */
async function readSource(args: Arguments, context: Context): Promise<Source> {
  const { intent, path, items } = args
  const given = Object.entries({ intent, path, items }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (given.length !== 1) {
    throw new TeachingError('invalid_argument', 'pass the change in one way', {
      sent: given.length === 0 ? 'neither intent nor path nor items' : given.join(' and '),
      expected: 'intent with the text, path of a file with it, or items that already are requirements',
    })
  }
  if (path !== undefined) return { documents: [{ name: path, content: await readFile(path, context) }] }
  if (intent !== undefined) return { text: intent }
  return { items: (items ?? []).map(({ requirement, ...item }) => ({ ...item, requirement_key: requirement })) }
}

async function readFile(path: string, { local }: Context): Promise<string> {
  if (local === undefined) {
    throw new TeachingError('unimplemented', 'files of this machine can be read over stdio only', {
      sent: `path = ${describeValue(path)}`,
      hint: 'call again with intent = the text of the file.',
    })
  }
  const { bytes } = await local.read(path, { maxBytes: MOST_BYTES })
  return decodeText(bytes)
}

/** Drafts it on the named open branch, or on a new one. A lost reply is never repeated: it may have drafted. */
async function distil(request: Request, { branch }: Arguments, context: Context): Promise<Distillation> {
  const { api, signal } = context
  const place = branch === undefined ? {} : await findPlace(request.product_id, branch, context)
  context.progress({ done: 0, total: undefined, message: 'reading the text' })
  const { distillation } = await api
    .distillIntent({ ...request, ...place }, { signal })
    .catch((error: unknown) => {
      if (!mayBeDone(error)) throw error
      throw unknownOutcome(error, { next: branchesCall(request.product_id) })
    })
    .catch(
      explainNotOffered('the distillation of intent', { hint: 'save_requirement records requirements one by one.' }),
    )
  return distillation
}

/** An open branch of this name or id; any other name is that of a new branch. */
async function findPlace(productId: string, given: string, { resolve }: Context) {
  const listed = await ifOffered(resolve.branches(productId))
  if (listed === undefined && isUuid(given)) return { branch_id: given }
  const open = findOpen(given, listed?.rows ?? [])
  return open === undefined ? { branch_name: given } : { branch_id: open.id }
}

/** `REQ-?3` of what was drafted, else what it is about. */
function draftName({ requirement, matched }: Proposal): string | undefined {
  const own = requirement === undefined ? '' : keyOrId(requirement)
  return own === '' && matched ? keyOrId(matched) : own || undefined
}

/** What a person has to decide: the words of the requirement before and after. */
function decisionRow(proposal: Proposal) {
  const { matched, source, changes = [], differences = [] } = proposal
  const [change] = changes.filter(({ field }) => field === 'statement').concat(changes)
  return {
    id: draftName(proposal),
    title: matched?.title,
    ...sourceColumns(source),
    before: change?.before,
    after: change?.after,
    differs: differences.join('; ') || undefined,
    also_changed_in: otherBranches(proposal),
  }
}

function draftRow(proposal: Proposal) {
  const { action, requirement, matched, source } = proposal
  const { title, acceptance_criteria: criteria } = requirement ?? {}
  const columns = sourceColumns(source)
  const isNew = action === 'DISTILL_ACTION_CREATE'
  return {
    id: draftName(proposal),
    action: action?.replace(/^DISTILL_ACTION_/, '').toLowerCase(),
    title: isNew && !says(columns.quote, title) ? title : undefined,
    criteria: (isNew && criteria?.length) || undefined,
    ...columns,
    matches: isNew ? undefined : matched?.title,
    also_changed_in: otherBranches(proposal),
  }
}

function otherBranches({ also_changed_in: also = [] }: Proposal): string | undefined {
  return listed(also.flatMap(({ branch }) => branch?.name ?? []))
}

function says(quote = '', title = ''): boolean {
  return quote.toLowerCase().includes(title.toLowerCase())
}

/** Where the words are, `12-14`, and the words on one line. */
function sourceColumns(source: Proposal['source']) {
  const { line_start: start = 0, line_end: end = start, quote: text } = source ?? {}
  return {
    lines: start === 0 ? undefined : end === start ? String(start) : `${String(start)}-${String(end)}`,
    quote: text?.replaceAll(/\s+/g, ' ').trim(),
  }
}

function sentence({ branch, summary = {}, lines = [] }: Distillation): string {
  const kinds = countWords([
    [summary.created, 'requirement', 'created'],
    [summary.updated, 'requirement', 'with more criteria'],
    [summary.conflicts, 'contradiction', 'for the user to decide'],
    [summary.retired, 'requirement', 'retired'],
    [summary.duplicates, 'duplicate', 'of what exists'],
    [summary.errors, 'item', 'in error'],
    [linesOfContext(lines), 'line', 'read as context'],
    [summary.skipped, 'part', 'of the text skipped'],
  ])
  return `${outcome(branch)}${kinds === '' ? '' : `: ${kinds}`}.`
}

/** Where the drafts are. Null says that there are none; a deployment that names no branch does not say. */
function outcome(branch: Distillation['branch']): string {
  if (branch === null) return 'Drafted nothing'
  if (branch === undefined) return 'Read the change request'
  return `Drafted on quality branch ${branch.name === undefined ? branch.id : teamText(branch.name)}`
}

/** The number of lines that were read as no demand, also where they are one. Undefined where the deployment does not say. */
function linesOfContext(lines: NonNullable<Distillation['lines']>): number | undefined {
  const context = lines.filter(({ use }) => use === 'context')
  const counts = context.map(({ line_start: start, line_end: end = start }) =>
    start && end ? end - start + 1 : Number.NaN,
  )
  const sum = counts.reduce((all, count) => all + count, 0)
  return Number.isNaN(sum) ? undefined : sum
}
