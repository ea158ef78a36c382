import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, type App } from '../app.ts'
import { connect, type Connected } from '../mcp/clients.ts'

let app: App
let agent: Connected
beforeAll(async () => {
  app = await startApp()
  agent = await connect(app.api)
  return async () => {
    await agent[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  }
})

const report = (environment: string, version: string, outcome: 'PASSED' | 'FAILED' = 'PASSED') =>
  app.api.ingestTests({
    product_id: app.productId,
    draft: {
      cases: [{ file_path: 'test/cart.test.ts', suite_path: [], name: 'adds up', status: `RESULT_STATUS_${outcome}` }],
    },
    run: { environment, release: version, run_key: `${environment} ${version}` },
  })

/** An error of level error there, for which a member vouches. */
async function crash(environment: string, release: string): Promise<void> {
  const type = `Error in ${environment} ${release}`
  await app.ingest({ environment, release, level: 'error', exception: { values: [{ type, value: 'no cart' }] } })
  const { issues } = await app.api.listIssues({ product_id: app.productId })
  const id = issues[0]?.id ?? ''
  await app.api.setIssueStatus({ id, status: 'unresolved' })
}

async function conditions(args: Record<string, string>): Promise<Record<string, string>> {
  const { structured, text, isError } = await agent.call('compute_quality_gate', args)
  if (isError) throw new Error(text)
  const { answer, data } = structured as { answer: string; data: { conditions: { id: string; message: string }[] } }
  return { answer, ...Object.fromEntries(data.conditions.map(({ id, message }) => [id, message])) }
}

describe('a version that pipeline and production have in common', () => {
  beforeAll(async () => {
    await report('ci', '2.0.0', 'FAILED')
    await crash('production', '2.0.0')
  })

  test('is judged by its errors in production and by its tests wherever they ran', async () => {
    expect(await conditions({ release: '2.0.0' })).toMatchObject({
      answer: expect.stringMatching(/^FAIL for release .* in production: /) as string,
      new_issues: '1 new issue of level fatal or error is open; the policy allows none.',
      failing_tests: '1 of 1 test fails; the policy allows none.',
    })
  })

  test('is judged in one environment alone if the call names it', async () => {
    const judged = await conditions({ release: '2.0.0', environment: 'production' })
    expect(judged).toMatchObject({ new_issues: expect.stringContaining('1 new issue') as string })
    expect(judged).toMatchObject({
      failing_tests:
        'Not evaluated: the scope has no test with a result that counts, and the policy asks for at least 1. ' +
        'Results of this version are in environment ci: they count where no environment is named.',
    })
  })

  test('says where else its tests ran once they have, without a name that only they gave', async () => {
    const asked = { release: '2.0.0', environment: 'production' }
    await report('runner-7', '2.0.0')
    expect((await conditions(asked)).failing_tests).toMatch(/are in environment ci and in others: /)
    await report('staging', '2.0.0')
    expect((await conditions(asked)).failing_tests).toMatch(/are in environments ci, staging and in others: /)
    await report('production', '2.0.0')
    expect(await conditions(asked)).not.toHaveProperty('failing_tests')
  })
})

test('a version that is not in production is judged where it is in staging', async () => {
  await report('ci', '2.1.0')
  await crash('staging', '2.1.0')
  expect((await conditions({ release: '2.1.0' })).answer).toContain(' in staging: ')
})

test('a version that is in neither is judged where its tests run', async () => {
  await crash('development', '2.1.5')
  await report('ci', '2.1.5', 'FAILED')
  expect(await conditions({ release: '2.1.5' })).toMatchObject({
    answer: expect.stringContaining(' in ci: 1 blocking condition fails: failing_tests.') as string,
    failing_tests: '1 of 1 test fails; the policy allows none.',
  })
})

test('a pass says that no error counts as new where the version is', async () => {
  await report('development', '2.1.6')
  await crash('development', '2.1.6')
  const { answer } = await conditions({ release: '2.1.6' })
  expect(answer).toMatch(/^PASS for release .* in development: /)
  expect(answer).toContain('; errors outside production and staging do not count as new.')
  expect((await conditions({})).answer).not.toContain('outside production')
})

test('which of two places of production is meant has to be said', async () => {
  await app.api.createEnvironment({ product_id: app.productId, name: 'prod-eu', kind: 'ENVIRONMENT_KIND_PRODUCTION' })
  await report('prod-eu', '2.2.0')
  await report('production', '2.2.0')
  const { text, isError } = await agent.call('compute_quality_gate', { release: '2.2.0' })
  expect({ isError, text }).toMatchObject({
    isError: true,
    text: expect.stringContaining('(ambiguous_name)') as string,
  })
})
