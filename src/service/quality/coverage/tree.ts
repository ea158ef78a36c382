import { judgeCoverage, worstState, type CoverageBody, type CountedLink } from './rule.ts'

/** A requirement in its tree; its parent may not be among the nodes. */
export interface TreeNode {
  id: string
  parentId: string
  isGroup: boolean
  /** Normative and not deprecated. */
  isDemanded: boolean
  criterionIds: readonly string[]
  links: readonly CountedLink[]
}

/** Coverage as a requirement shows it: its own counts, and the state and flags that include its descendants. */
export interface Shown {
  coverage: CoverageBody
  /** Demanded and not an empty group: empty groups count nowhere (contract §1.2). */
  counts: boolean
}

/**
 * The coverage of every node including its descendants (contract §1.2): the worst of its own state and those of its
 * counting children; a group only has its children. The nodes must be a forest.
 */
export function coverTree(
  nodes: readonly TreeNode[],
  { maxAgeMs, now }: { maxAgeMs: number; now: number },
): Map<string, Shown> {
  const children = Map.groupBy(nodes, ({ parentId }) => parentId)
  const shown = new Map<string, Shown>()
  function show(node: TreeNode): Shown {
    const known = shown.get(node.id)
    if (known !== undefined) return known
    const below = (children.get(node.id) ?? []).map(show).filter(({ counts }) => counts)
    const { criterionIds, links } = node
    const made = withChildren(node, judgeCoverage({ criterionIds, links, maxAgeMs, now }).coverage, below)
    shown.set(node.id, made)
    return made
  }
  for (const node of nodes) show(node)
  return shown
}

function withChildren({ isGroup, isDemanded }: TreeNode, own: CoverageBody, below: readonly Shown[]): Shown {
  const states = below.map(({ coverage }) => coverage.state)
  const state = worstState(isGroup ? states : [own.state, ...states])
  const either = (name: 'failing' | 'suspect' | 'flaky') => own[name] || below.some(({ coverage }) => coverage[name])
  return {
    coverage: {
      ...own,
      state: state ?? 'no_test',
      failing: either('failing'),
      suspect: either('suspect'),
      flaky: either('flaky'),
    },
    counts: isDemanded && state !== undefined,
  }
}
