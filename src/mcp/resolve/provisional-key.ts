import { inBatches } from '../../lib/batches.ts'
import { nextCall } from '../result/next-action.ts'
import { describeValue, TeachingError } from '../result/teach.ts'
import { branchArgument, branchesCall, branchLabel, isOpen } from './find-branch.ts'
import { inOneProduct } from './find-product.ts'
import { ifOffered } from './offered.ts'
import type { Branch, Product, ResolverCall } from './types.ts'

/** Open branches that are searched for a key, and how many at once: reading a branch replays it (decision 062). */
const SEARCHED = 8
const AT_ONCE = 2

/** A quality branch of a product, as requests name it. */
export interface OnBranch {
  product_id: string
  branch_id: string
}

interface Kind {
  name: 'requirement' | 'test'
  /** Whether the branch has the key. */
  isOn(this: void, key: string, place: OnBranch): Promise<boolean>
}

/** Calls that read such a thing on a branch, and that list those with final keys; the first one that is offered is named. */
const tools = {
  requirement: { read: ['get_test_context', 'get_requirement'], list: ['list_requirements', 'find_coverage_gaps'] },
  test: { read: ['get_test'], list: ['list_tests'] },
} as const

/**
 * Why a provisional key (`REQ-?3`) leads to nothing without its branch. The next call reads it on the branch that has it; once
 * the merge has given it its final key, it lists what there is.
 */
export async function explainProvisional(
  given: string,
  productGiven: string | undefined,
  { name, isOn }: Kind,
  { api, signal, product, products }: Pick<ResolverCall, 'api' | 'signal' | 'product' | 'products'>,
): Promise<TeachingError> {
  const key = given.toUpperCase()
  const all = productGiven === undefined ? ((await ifOffered(products())) ?? []) : [await product(productGiven)]
  const [only] = all.length === 1 ? all : []
  const sent = `${name} = ${describeValue(given)}`
  const filter = { state: ['BRANCH_STATE_OPEN' as const], page_size: SEARCHED }
  const listed = only && (await ifOffered(api.listBranches({ product_id: only.id, ...filter }, { signal })))
  const open = listed?.branches.filter(isOpen)
  if (only === undefined || open === undefined) return onSomeBranch(name, sent, { productGiven, only, all })
  const found = await inBatches(open, AT_ONCE, async (branch) => {
    const isThere = await ifOffered(isOn(key, { product_id: only.id, branch_id: branch.id }))
    return isThere === true ? [branch] : []
  })
  const [branch, ...others] = found.flat()
  if (branch !== undefined) return onBranches(key, { name, sent, product: only }, [branch, ...others])
  if (listed?.reading.isComplete !== true) return onSomeBranch(name, sent, { productGiven, only, all })
  return new TeachingError('not_found', `no open quality branch has a ${name} with this provisional key`, {
    sent,
    expected: 'its final key, which the merge of its branch gave it, or its title',
    next: tools[name].list.map((tool) =>
      nextCall(tool, { product: only.id }, `lists the ${name}s with their final keys`),
    ),
  })
}

function onBranches(
  key: string,
  { name, sent, product }: { name: Kind['name']; sent: string; product: Product },
  branches: readonly [Branch, ...Branch[]],
): TeachingError {
  const [first, ...others] = branches
  const labels = branches.map(branchLabel)
  const args = { product: product.id, [name]: key, branch: branchArgument(first) }
  const review = nextCall('review_branch', { product: product.id, branch: branchArgument(first) }, 'what is on it')
  const reads = [...tools[name].read.map((tool) => nextCall(tool, args, 'reads it there')), review]
  return new TeachingError('not_found', `a ${name} with a provisional key is on a quality branch alone`, {
    sent,
    expected: `branch = ${others.length === 0 ? labels.join() : `one of ${labels.join(', ')}`}; the merge gives it its final key`,
    next: others.length === 0 ? reads : branchesCall(product.id),
  })
}

function onSomeBranch(
  name: Kind['name'],
  sent: string,
  { productGiven, only, all }: { productGiven: string | undefined; only: Product | undefined; all: Product[] },
): TeachingError {
  return new TeachingError('not_found', `a ${name} with a provisional key is on a quality branch alone`, {
    sent,
    expected: 'branch: the name or id of its quality branch; the merge gives it its final key',
    next: inOneProduct(branchesCall(productGiven && only?.id), only, all),
  })
}
