import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../src/contract/index.ts'
import { done, startTree } from './branch-tree.ts'

test('gaps, contexts, the matrix and the gate show the branch, and store nothing', async () => {
  await using app = await startTree()
  const { tree } = app
  const approved = { status: 'REQUIREMENT_STATUS_APPROVED', priority: 'PRIORITY_CRITICAL' } as const
  const cart = await tree.requirement({ title: 'Cart', ...approved })
  const branch = await tree.branch()
  const guest = await tree.requirement({ title: 'Guest', ...approved, branch_id: branch })
  await tree.remove(cart.id, branch)
  const at = `${tree.product}/quality-gate`
  const read = async <T>(method: string, path: string, body?: object) => done(await app.request<T>(method, path, body))

  const gaps = (query: string) => read<ResponseOf<'listCoverageGaps'>>('GET', `${tree.product}/coverage-gaps${query}`)
  const keys = ({ coverage_gaps: found }: ResponseOf<'listCoverageGaps'>) => found.map((gap) => gap.requirement?.key)
  expect(keys(await gaps(''))).toEqual(['REQ-1'])
  expect(keys(await gaps(`?branch_id=${branch}`))).toEqual(['REQ-?1'])
  const contextPath = `${tree.product}/requirements/${guest.id}/test-context`
  expect((await app.request('GET', contextPath)).status).toBe(404)
  const context = await read<ResponseOf<'getTestContext'>>('GET', `${contextPath}?branch_id=${branch}`)
  expect(context.test_context.requirement).toMatchObject({ key: 'REQ-?1', branch_id: branch })
  const prepared = await read<ResponseOf<'prepareTestContext'>>(
    'POST',
    `${tree.product}/test-generation-context:prepare`,
    { top_gaps: 5, branch_id: branch },
  )
  expect(prepared.test_generation_context.contexts.map(({ requirement }) => requirement.key)).toEqual(['REQ-?1'])
  const matrix = await read<ResponseOf<'getTraceability'>>(
    'GET',
    `${tree.product}/quality-gate/traceability?branch_id=${branch}`,
  )
  expect(matrix.traceability_matrix.rows.map(({ requirement }) => requirement.key)).toEqual(['REQ-?1'])

  const main = await read<ResponseOf<'computeGate'>>('POST', `${at}:compute`, {})
  const stored = () => app.db.read.selectFrom('verdict').select('id').execute()
  expect(await stored()).toEqual([{ id: main.verdict.id }])
  for (const [method, path, body] of [
    ['POST', `${at}:compute`, { branch_id: branch }],
    ['GET', `${at}?branch_id=${branch}`, undefined],
  ] as const) {
    const { verdict } = await read<ResponseOf<'getGate'>>(method, path, body)
    expect(verdict).toMatchObject({ id: '', scope: { branch_id: branch, ephemeral: true } })
    expect(JSON.stringify(verdict.conditions)).toContain(guest.id)
    expect(JSON.stringify(verdict.conditions)).not.toContain(cart.id)
    expect(verdict.status_reason).not.toContain('policy of this request')
  }
  expect(await stored()).toHaveLength(1)
})

test('pages of a list on a branch give every row once, in the order of the whole list', async () => {
  await using app = await startTree()
  const { tree } = app
  await tree.requirement({ title: 'Cart' })
  await tree.test({ title: 'sums up' })
  const branch = await tree.branch()
  for (const title of ['Guest', 'Coupon', 'Refund']) {
    const { id } = await tree.requirement({ title, branch_id: branch })
    await tree.test({ title, branch_id: branch, requirement_ids: [id] })
  }
  const paths = [
    'coverage-gaps?',
    'requirements?',
    'requirements?sort=key&',
    'requirements?sort=priority&',
    'tests?',
    'quality-gate/traceability?',
  ]
  for (const path of paths) {
    const read = async (size: number, token = '') => {
      const query = `branch_id=${branch}&page_size=${String(size)}&page_token=${token}`
      const body = done(await app.request<Listed>('GET', `${tree.product}/${path}${query}`))
      const rows = body.traceability_matrix?.rows ?? body.coverage_gaps ?? body.requirements ?? body.tests ?? []
      return { keys: rows.map((row) => row.key ?? row.requirement?.key), next: body.next_page_token }
    }
    const { keys } = await read(200)
    expect(new Set(keys).size).toBe(4)
    for (const size of [1, 2, 3]) {
      const walked: (string | undefined)[] = []
      let token = ''
      do {
        const page = await read(size, token)
        walked.push(...page.keys)
        token = page.next
      } while (token !== '' && walked.length < 9)
      expect([path, size, walked]).toEqual([path, size, keys])
    }
  }
})

type Row = { key?: string; requirement?: { key: string } }
interface Listed {
  coverage_gaps?: Row[]
  requirements?: Row[]
  tests?: Row[]
  traceability_matrix?: { rows: Row[] }
  next_page_token: string
}
