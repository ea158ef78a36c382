import { afterEach, beforeEach, expect, test } from 'vitest'
import { connect, type Connected } from '../mcp/clients.ts'
import { reshaped } from '../upstream/reshaped.ts'
import { openShop, type Shop } from './shop.ts'
import { connectElsewhere, losing } from './unread-answers.ts'

let shop: Shop
let agent: Connected
beforeEach(async () => {
  shop = await openShop()
  agent = await connect(shop.api, { options: { toolsets: ['all'] } })
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await shop.close()
})

test('verify_setup lists what is open with the call for it, and the DSN while nothing has arrived', async () => {
  const { text } = await agent.call('verify_setup')
  expect(text.replaceAll(/[0-9a-f]{32}/g, 'KEY')).toMatchInlineSnapshot(`
    "The setup is incomplete: 7 open checks.
    product: My product (id 1)
    setup: state=incomplete, completed_checks=4, total_checks=11
    open (check | status | detail | how):
    repository_configured | missing | The product names no repository. | tracegate init DIR --product 1, in a checkout of the repository
    requirements_present | missing | The product has no requirement. | save_requirement with a title
    acceptance_criteria_present | missing | The product has no requirement. | save_requirement with criteria
    tests_ingested | missing | No test result has arrived. | ingest_test_report
    tests_linked | missing | No test is linked to a requirement. | record_tests with requirement_ids
    event_received | missing | No event has arrived. | send_test_event, then an SDK with the dsn
    gate_computed | missing | No verdict has been computed. | compute_quality_gate
    done: components_mapped, environment_present, release_present
    not_needed: source_maps_ready
    dsn: http://KEY@127.0.0.1:4319/1
    Next:
    - send_test_event {"product":"1","message":"setup"} (proves that events arrive)
    - find_error_issues {"product":"1"} (its events; the prompt set_up_product leads there)"
  `)
  await shop.crash(5)
  const later = await agent.call('verify_setup')
  expect(later.text).not.toContain('dsn')
})

test('a caller without the tool for a check gets the toolset that has it, and the words of the service', async () => {
  await using few = await connect(shop.api, { options: { toolsets: ['setup'] } })
  const { text } = await few.call('verify_setup')
  expect(text).not.toContain('save_requirement')
  const rows = [...text.matchAll(/^(\w+) \| missing \| .* \| ask the user to add the toolset (\w+), or (.*)$/gm)]
  expect(rows.map(([, check, toolset]) => `${check ?? ''} ${toolset ?? ''}`)).toEqual([
    'requirements_present requirements',
    'acceptance_criteria_present requirements',
    'tests_ingested default',
    'tests_linked default',
    'event_received ingest_dev',
    'gate_computed default',
  ])
  expect(rows[0]?.[3]).toMatch(/^POST .*\/requirements \{"title"/)
  for (const [, check = '', toolset = ''] of rows) {
    await using more = await connect(shop.api, { options: { toolsets: ['setup', toolset] } })
    const row = new RegExp(`^${check} .*$`, 'm').exec((await more.call('verify_setup')).text)?.[0]
    expect(row).toMatch(/ \| [a-z]+_[a-z_]+(?: with|,|$)/)
  }
})

test('a release that only events named is an optional check, and so said', async () => {
  const { workspaces } = await shop.api.listWorkspaces({})
  const created = await shop.api.createProduct({ workspace_id: workspaces[0]?.id ?? '', name: 'Other' })
  const product = created.product.id
  await shop.api.ingestTests({
    product_id: product,
    draft: { cases: [{ file_path: 'a.test.ts', suite_path: [], name: 'adds up', status: 'RESULT_STATUS_PASSED' }] },
    run: { environment: 'ci', release: '9.9.9', run_key: 'one' },
  })
  const { text } = await agent.call('verify_setup', { product })
  expect(text).toMatch(/^The setup is incomplete: \d+ open checks, 1 of them optional\.$/m)
  expect(text).toMatch(/^release_present \| warning \| .* \| record_release with version, environment and commit$/m)
})

test.each(['none', '502'])('an onboarding step is marked as done, reply lost: %s', async (loss) => {
  const isStep = (method: string, path: string) => method !== 'GET' && path.endsWith('/onboarding')
  await using elsewhere = await connectElsewhere(shop, (send) => (loss === 'none' ? send : losing(send, loss, isStep)))
  const { text } = await elsewhere.call('verify_setup', { complete_onboarding_step: 'compute_gate' })
  expect(text).toContain('Marked compute_gate as done.')
  const { onboarding } = await shop.api.getMe({})
  expect(onboarding?.completed_steps).toContain('ONBOARDING_STEP_COMPUTE_GATE')
})

test('a deployment that does not check a setup says what still tells of it', async () => {
  await using elsewhere = await connectElsewhere(shop, (send) => reshaped(send, 'noRoute:verifySetup'))
  const { text } = await elsewhere.call('verify_setup')
  expect(text).toContain('does not offer the check of a setup (feature_disabled')
  expect(text).toContain('next: get_workspace_context')
})
