import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  judgeCoverage,
  type CountedCase,
  type CountedLink,
  type NewestResult,
} from '../../../../src/service/quality/coverage/rule.ts'
import { coverTree, type TreeNode } from '../../../../src/service/quality/coverage/tree.ts'

const now = 1_000_000
const maxAgeMs = 1000

/** contract §1.2 read aloud, one sentence after the other; slow and obvious on purpose. */
function reference(nodes: readonly TreeNode[], id: string): { state: string; flags: string; counts: boolean } {
  const node = nodes.find((one) => one.id === id)!
  const active = node.links.filter((link) => link.cases.length > 0)
  let own = 'verified'
  const flags = new Set<string>()
  for (const link of active) {
    if (link.suspect) {
      own = 'not_run'
      flags.add('suspect')
    }
    for (const { newest } of link.cases) {
      const counts = newest !== undefined && now - newest.at <= maxAgeMs
      const status = counts ? newest.status : 'none'
      if (status !== 'RESULT_STATUS_PASSED' && status !== 'RESULT_STATUS_FLAKY') own = 'not_run'
      if (status === 'RESULT_STATUS_FAILED' || status === 'RESULT_STATUS_ERROR') flags.add('failing')
      if (status === 'RESULT_STATUS_FLAKY') flags.add('flaky')
    }
  }
  for (const criterion of node.criterionIds) {
    const isCovered = active.some((link) => {
      const isWhole = link.role === 'LINK_ROLE_VERIFIES' && link.criterionIds.length === 0
      return isWhole || link.criterionIds.includes(criterion)
    })
    if (!isCovered) own = 'not_run'
  }
  if (active.length === 0) own = 'no_test'

  const states = node.isGroup ? [] : [own]
  for (const child of nodes.filter((one) => one.parentId === id)) {
    const below = reference(nodes, child.id)
    if (!below.counts) continue
    states.push(below.state)
    for (const flag of below.flags.split(' ')) flags.add(flag)
  }
  flags.delete('')
  const state = states.includes('no_test') ? 'no_test' : states.includes('not_run') ? 'not_run' : 'verified'
  return {
    state: states.length === 0 ? 'no_test' : state,
    flags: [...flags].toSorted().join(' '),
    counts: node.isDemanded && states.length > 0,
  }
}

const newest: fc.Arbitrary<NewestResult> = fc.record({
  status: fc.constantFrom(
    'RESULT_STATUS_PASSED',
    'RESULT_STATUS_PASSED',
    'RESULT_STATUS_PASSED',
    'RESULT_STATUS_FLAKY',
    'RESULT_STATUS_FAILED',
    'RESULT_STATUS_ERROR',
    'RESULT_STATUS_SKIPPED',
    'RESULT_STATUS_BLOCKED',
  ),
  at: fc.constantFrom(now, now - 1, now - maxAgeMs + 1, now - maxAgeMs, now - maxAgeMs - 1),
  release: fc.constant('1.0.0'),
  releaseKnown: fc.boolean(),
})

/** The same case has the same newest result wherever it is linked. */
const cases: fc.Arbitrary<CountedCase[]> = fc
  .array(fc.option(newest, { nil: undefined, freq: 6 }), { minLength: 4, maxLength: 4 })
  .map((results) => results.map((result, index) => ({ testId: `case ${String(index)}`, newest: result })))

const criteria = ['first', 'second', 'third']

const product: fc.Arbitrary<TreeNode[]> = cases.chain((known) => {
  const link: fc.Arbitrary<CountedLink> = fc.record({
    role: fc.constantFrom('LINK_ROLE_VERIFIES', 'LINK_ROLE_VERIFIES', 'LINK_ROLE_PARTIALLY_VERIFIES'),
    suspect: fc.integer({ min: 0, max: 9 }).map((chance) => chance === 0),
    criterionIds: fc.oneof(fc.constant([]), fc.subarray(criteria)),
    cases: fc.subarray(known),
  })
  const node = fc.record({
    isGroup: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
    isDemanded: fc.integer({ min: 0, max: 5 }).map((chance) => chance > 0),
    criterionIds: fc.oneof(fc.constant([]), fc.subarray(criteria)),
    links: fc.array(link, { maxLength: 3 }),
    above: fc.nat(),
  })
  return fc.array(node, { minLength: 1, maxLength: 7 }).map((nodes) =>
    nodes.map(({ above, ...facts }, index) => ({
      ...facts,
      // Groups have no links of their own (GROUP_NOT_LINKABLE).
      links: facts.isGroup ? [] : facts.links,
      id: `REQ-${String(index)}`,
      // The parent is an earlier one, or none.
      parentId: index === 0 || above % (index + 1) === index ? '' : `REQ-${String(above % (index + 1))}`,
    })),
  )
})

test('the coverage of 10,000 generated products matches a naive implementation of the rule', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(product, (nodes) => {
      const shown = coverTree(nodes, { maxAgeMs, now })
      for (const { id } of nodes) {
        const { coverage, counts } = shown.get(id)!
        const flags = (['failing', 'flaky', 'suspect'] as const).filter((name) => coverage[name]).join(' ')
        const expected = reference(nodes, id)
        expect({ state: coverage.state, flags, counts }).toEqual(expected)
        seen.add(`${expected.state} ${expected.flags}`)
      }
    }),
    { numRuns: 10_000 },
  )
  // The generator reaches every state, and every flag beside it that can stand there.
  expect([...seen]).toEqual(
    expect.arrayContaining(['verified ', 'verified flaky', 'not_run failing suspect', 'no_test ']),
  )
})

const passed: NewestResult = { status: 'RESULT_STATUS_PASSED', at: now, release: '', releaseKnown: false }

function own(links: readonly Partial<CountedLink>[], criterionIds: readonly string[] = []) {
  const usual = { role: 'LINK_ROLE_VERIFIES', suspect: false, criterionIds: [] } as const
  return judgeCoverage({
    criterionIds,
    links: links.map((link, index) => ({
      ...usual,
      cases: [{ testId: `case ${String(index)}`, newest: passed }],
      ...link,
    })),
    maxAgeMs,
    now,
  })
}

test.each([
  ['no link', [], 'GAP_TYPE_NO_TEST'],
  ['a link whose cases do not count', [{ cases: [] }], 'GAP_TYPE_NO_TEST'],
  ['a passing case', [{}], ''],
  ['a case that never ran', [{ cases: [{ testId: 'a', newest: undefined }] }], 'GAP_TYPE_NOT_RUN'],
  ['a result that is too old', [{ cases: [{ testId: 'a', newest: { ...passed, at: 0 } }] }], 'GAP_TYPE_STALE'],
  ['a suspect link', [{ suspect: true }], 'GAP_TYPE_SUSPECT'],
  [
    'a failure and a suspect link',
    [{ suspect: true, cases: [{ testId: 'a', newest: { ...passed, status: 'RESULT_STATUS_FAILED' as const } }] }],
    'GAP_TYPE_FAILING',
  ],
] as const)('%s makes the gap %j', (_name, links, gap) => {
  expect(own(links).gap).toBe(gap)
})

test('links that name criteria leave the others uncovered', () => {
  const partial = own([{ role: 'LINK_ROLE_PARTIALLY_VERIFIES', criterionIds: ['first'] }], criteria)
  expect(partial.coverage).toMatchObject({ state: 'not_run', uncovered_criterion_ids: ['second', 'third'] })
  expect(partial.gap).toBe('GAP_TYPE_PARTIAL_CRITERIA')
  expect(own([{}, { criterionIds: ['first'] }], criteria).coverage.state).toBe('verified')
})

test('the rule returns when the results of a requirement will be too old', () => {
  expect(own([{}]).staleAt).toBe(now + maxAgeMs + 1)
  expect(own([]).staleAt).toBeNull()
})

test('a case that two links lead to counts once', () => {
  const shared = [{ testId: 'a', newest: passed }]
  expect(own([{ cases: shared }, { cases: shared }]).coverage.linked_test_count).toBe(1)
})
