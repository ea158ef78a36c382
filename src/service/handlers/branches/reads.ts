import type { EndpointName } from '../../../contract/index.ts'
import { readOnBranch, type NamedOnBranch } from '../../branches/overlay/read.ts'
import type { Call, Handlers } from '../../shared/context.ts'

const reads = [
  'listRequirements',
  'getRequirement',
  'listTests',
  'getTest',
  'listCoverageGaps',
  'getTestContext',
  'getTraceability',
  'getGate',
  'computeGate',
] as const satisfies readonly EndpointName[]

type Reads = Handlers<(typeof reads)[number]>
type Named = NamedOnBranch & { branch_id?: string | undefined }
type AnyHandler = (input: Named, call: Call) => Promise<unknown>

/** Those of the handlers that take `branch_id`: with it they see the main tree with the changes of the branch (contract §5). */
export function readsOnBranches<H extends Reads>(handlers: H): Pick<H, keyof Reads> {
  // Each handler keeps its input and its answer; here only the names of a branch and its product matter.
  const wrapped = reads.map((name) => [name, onBranch(handlers[name] as AnyHandler)])
  return Object.fromEntries(wrapped) as Pick<H, keyof Reads>
}

function onBranch(handle: AnyHandler): AnyHandler {
  return (input, call) => {
    const { branch_id: branchId = '', product_id, id } = input
    if (branchId === '') return handle(input, call)
    return readOnBranch(call, branchId, { product_id, id }, (replayed) => handle(input, replayed))
  }
}
