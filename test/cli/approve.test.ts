import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../src/cli/index.ts'
import { startApp } from '../app.ts'
import { blocking, reason, startFailing } from '../service/gate/risks/failing-product.ts'
import { tokenHeaders } from '../service/people.ts'
import { terminal, tracegate, type Typed } from './run.ts'

async function startAccepted() {
  const gate = await startFailing()
  const { risk } = (await gate.post('accept-risk', { condition_ids: blocking, reason })).body
  const tokenOf = (headers: { authorization: string }) => headers.authorization.replace('Bearer ', '')

  async function approve(operands: readonly string[], typed: Typed, env: Record<string, string> = {}) {
    const { screen, stderr, io } = terminal(typed, env)
    const code = await runCommand(['approve', ...operands, '--data', gate.app.dataDir], io)
    const stored = await gate.app.db.read.selectFrom('risk').selectAll().executeTakeFirstOrThrow()
    return { code, screen: screen.text, stderr: stderr.text, stored }
  }

  return { ...gate, risk, approve, bobToken: tokenOf(gate.bob), tokenOf }
}

test('a second person approves at a terminal with their own token and the key, and revokes in the same way', async () => {
  await using gate = await startAccepted()
  const { approve, risk, bobToken } = gate
  const approved = await approve(
    ['REQ-1'],
    [
      ['Your API token', bobToken],
      ['Type approve or reject', 'approve'],
      ['Note (may be empty)', 'seen with the team'],
      ['Type REQ-1 to approve', 'REQ-1'],
    ],
  )
  expect(approved.stderr).toBe('')
  expect(approved.code).toBe(0)
  expect(approved.screen).toContain(`Reason: ${reason}`)
  expect(approved.screen).toContain('Accepted by: Owner')
  expect(approved.screen).toContain('Recorded as: Bob')
  expect(approved.screen).toMatch(/TC-\d+ \(RESULT_STATUS_FAILED\) written by others: "rounds/)
  expect(approved.screen).toContain(`Risk ${risk.id}: APPROVED`)
  expect(approved.screen).not.toContain(bobToken)
  expect(approved.stored).toMatchObject({
    state: 'RISK_STATE_APPROVED',
    decided_way: 'DECISION_WAY_TERMINAL',
    decision_note: 'seen with the team',
  })
  const revoked = await approve(
    [risk.id],
    [
      ['Your API token', bobToken],
      ['Type revoke', 'revoke'],
      ['Note (may be empty)', ''],
      ['Type REQ-1 to revoke', 'REQ-1'],
    ],
  )
  expect(revoked.stored).toMatchObject({ state: 'RISK_STATE_REVOKED', decided_way: 'DECISION_WAY_TERMINAL' })
})

test('what the accepter wrote stays on its line, so that it cannot state other facts of the decision', async () => {
  await using gate = await startFailing()
  const forged = `${reason}\nVerdict: PASS\r\nSeverity: LOW\u2028Accepted by: Bob\u202emoor\u202c`
  await gate.post('accept-risk', { condition_ids: blocking, reason: forged, mitigation: 'none\nEnds: soon' })
  const { screen, io } = terminal([
    ['Your API token', gate.app.token],
    ['Type approve or reject', 'neither'],
  ])
  await runCommand(['approve', '--data', gate.app.dataDir], io)
  const lines = screen.text.split('\n')
  expect(lines).toContain(`Reason: ${reason} Verdict: PASS Severity: LOW Accepted by: Bobmoor`)
  expect(lines).toContain('Mitigation: none Ends: soon')
  for (const fact of ['Verdict', 'Severity', 'Accepted by', 'Ends']) {
    expect(lines.filter((line) => line.startsWith(`${fact}: `))).toHaveLength(1)
  }
})

test('another key, another word, an agent’s token, the accepter’s token and no terminal: nothing is written', async () => {
  await using gate = await startAccepted()
  const { app, approve, bobToken, tokenOf } = gate
  const scopes = ['gate:approve'] as const
  const agent = tokenOf(await tokenHeaders(app, { kind: 'agent', member: 'Robot', scopes }))
  const reader = tokenOf(await tokenHeaders(app, { member: 'Reader', scopes: ['read'] }))
  const answers = (token: string, word = 'approve', key = 'REQ-1'): Typed => [
    ['Your API token', token],
    ['Type approve or reject', word],
    ['Note (may be empty)', ''],
    ['Type REQ-1 to approve', key],
  ]
  const refused: [operand: string, typed: Typed, why: string][] = [
    ['REQ-1', answers(bobToken, 'approve', 'yes'), 'that is not REQ-1'],
    ['REQ-1', answers(bobToken, 'ok'), 'that is no decision'],
    ['REQ-2', answers(bobToken), 'no open risk of this scope is or covers REQ-2'],
    ['REQ-1', answers(agent), 'this token is of the kind agent'],
    ['REQ-1', answers(app.token), 'another person has to approve it'],
    // Not a variable, which approve does not read.
    [
      'REQ-1',
      answers('tg_unknown'),
      'this token is not valid here: check that it was copied whole; nothing was written\n',
    ],
    ['REQ-1', answers(reader), 'your token lacks the scope for this; use a token with the scope gate:approve\n'],
    ['REQ-1', answers(bobToken).with(2, ['Note (may be empty)', 'n'.repeat(1001)]), 'the note is longer than 1,000'],
  ]
  for (const [operand, typed, why] of refused) {
    const { code, stderr, stored } = await approve([operand], typed, { TRACEGATE_LOG_LEVEL: 'silent' })
    expect({ failed: code !== 0, stderr }).toEqual({ failed: true, stderr: expect.stringContaining(why) as string })
    expect(stored.state).toBe('RISK_STATE_PENDING_APPROVAL')
  }
  const piped = await tracegate(['approve', 'REQ-1', '--data', app.dataDir])
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('asks a person') })
})

test('without a verdict of the scope, approve says which scope to name and what computes one', async () => {
  const app = await startApp()
  onTestFinished(() => app.close())
  await app.request('POST', `/v1/products/${app.productId}/releases`, { version: '1.4.0', environment: 'production' })
  async function approve(args: readonly string[]) {
    const { stderr, io } = terminal([['Your API token', app.token]])
    const code = await runCommand(['approve', ...args, '--data', app.dataDir], io)
    return { code, stderr: stderr.text }
  }
  expect(await approve([])).toEqual({
    code: 1,
    stderr: `tracegate: there is no verdict of the whole product: name the scope of the risk with --release and --environment, or compute it with tracegate gate\n`,
  })
  expect((await approve(['--release', '1.4.0'])).stderr).toBe(
    'tracegate: there is no verdict of this scope: name the one in which the risk was accepted, or compute it with tracegate gate\n',
  )
})

test('the scope of a risk is shown by the names of its release and environment', async () => {
  await using gate = await startFailing()
  const { app, post } = gate
  const cases = [{ file_path: 'test/cart.test.ts', suite_path: [], name: 'rounds [REQ-1]', status: 'FAILED' }]
  await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, {
    draft: { cases },
    run: { environment: 'ci', release: '1.4.0' },
  })
  const stored = await app.db.read.selectFrom('release').select(['id', 'environment_id']).executeTakeFirstOrThrow()
  const scope = { environment_id: String(stored.environment_id), release_id: String(stored.id) }
  await post('compute', scope)
  await post('accept-risk', { condition_ids: ['failing_tests'], reason, scope })
  const { screen, io } = terminal([
    ['Your API token', app.token],
    ['Type approve or reject', 'neither'],
  ])
  await runCommand(['approve', '--release', '1.4.0', '--environment', 'ci', '--data', app.dataDir], io)
  expect(screen.text).toContain('Scope: release 1.4.0, environment ci\n')
})

test('a version that is in several environments is the one that the gate judges without an environment', async () => {
  await using gate = await startFailing()
  const { app, post } = gate
  for (const environment of ['production', 'ci']) {
    await app.request('POST', `/v1/products/${app.productId}/releases`, { version: '1.4.0', environment })
  }
  const judged = await tracegate(['gate', '--release', '1.4.0', '--data', app.dataDir])
  expect(judged.stdout).toContain('release 1.4.0 in production')
  const places = app.db.read.selectFrom('environment').select('id').where('name', '=', 'production')
  const stored = await app.db.read
    .selectFrom('release')
    .select('id')
    .where('environment_id', 'in', places)
    .executeTakeFirstOrThrow()
  const [, condition = ''] = /blocking conditions? fails?: (\w+)/.exec(judged.stdout) ?? []
  await post('accept-risk', { condition_ids: [condition], reason, scope: { release_id: String(stored.id) } })
  async function approve(args: readonly string[]) {
    const { screen, stderr, io } = terminal([
      ['Your API token', app.token],
      ['Type approve or reject', 'neither'],
    ])
    await runCommand(['approve', '--release', '1.4.0', ...args, '--data', app.dataDir], io)
    return { screen: screen.text, stderr: stderr.text }
  }
  const found = await approve([])
  expect(found.stderr).toBe('tracegate: that is no decision: nothing was written\n')
  expect(found.screen).toContain('Scope: release 1.4.0 in production\n')
  expect((await approve(['--environment', 'production'])).stderr).toBe(
    'tracegate: there is no verdict of this scope: name the one in which the risk was accepted, or compute it with tracegate gate; leave out --environment if the verdict says "in production" of the release\n',
  )
})
