import { expect, test } from 'vitest'
import { runCommand } from '../../src/cli/index.ts'
import { startFailing } from '../service/gate/risks/failing-product.ts'
import { tokenHeaders } from '../service/people.ts'
import { terminal, tracegate, type Typed } from './run.ts'

/** A product in which an agent deleted an approved requirement, so that no person has seen why the gate does not count it. */
async function startExcluded() {
  const gate = await startFailing()
  const { app } = gate
  const agent = await tokenHeaders(app, { kind: 'agent', member: 'Robot', scopes: ['write'] })
  const { body } = await app.request<{ requirements: { id: string }[] }>(
    'GET',
    `/v1/products/${app.productId}/requirements`,
  )
  await app.request('DELETE', `/v1/requirements/${body.requirements[0]?.id ?? ''}`, { reason: 'It is\nold.' }, agent)
  await gate.post('compute')

  async function review(typed: Typed, args: readonly string[] = []) {
    const { screen, stderr, io } = terminal(typed)
    const code = await runCommand(['review', ...args, '--data', app.dataDir], io)
    const stored = await app.db.read.selectFrom('exclusion').selectAll().executeTakeFirstOrThrow()
    return { code, screen: screen.text, stderr: stderr.text, isReviewed: stored.reviewed_at !== null }
  }

  const plain = ({ authorization }: { authorization: string }) => authorization.replace('Bearer ', '')
  return { ...gate, review, agentToken: plain(agent), bobToken: plain(gate.bob) }
}

const answers = (token: string, word = 'reviewed'): Typed => [
  ['Your API token', token],
  ['Note (may be empty)', 'seen with the team'],
  ['Type reviewed to record that you have seen them', word],
]

test('a person sees what agents took out of the gate and records it, after which the gate does not fail by it', async () => {
  await using gate = await startExcluded()
  const before = await tracegate(['gate', '--data', gate.app.dataDir])
  expect(before.stdout).toContain('not reviewed by a person; to review: tracegate review')
  const reviewed = await gate.review(answers(gate.bobToken))
  expect(reviewed).toMatchObject({ code: 0, stderr: '', isReviewed: true })
  expect(reviewed.screen).toContain('Agents took 1 item out of the gate without an accepted risk:\n')
  expect(reviewed.screen).toMatch(/^ {2}REQ-1 requirement_deleted on \S+ by an agent of Robot: It is old\./m)
  expect(reviewed.screen).toContain('Recorded as: Bob\n')
  expect(reviewed.screen).not.toContain(gate.bobToken)
  const after = await tracegate(['gate', '--data', gate.app.dataDir])
  expect(after.stdout).toContain('passed: ')
  expect(after.stdout).toMatch(/^passed: .*unreviewed_exclusions/m)
  const again = await gate.review([['Your API token', gate.bobToken]])
  expect(again).toMatchObject({ code: 0, screen: expect.stringContaining('Nothing that agents took out') as string })
})

test('an agent’s token, another word and no terminal review nothing', async () => {
  await using gate = await startExcluded()
  expect(await gate.review(answers(gate.agentToken))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('this token is of the kind agent') as string,
    isReviewed: false,
  })
  expect(await gate.review(answers(gate.bobToken, 'yes'))).toMatchObject({
    code: 2,
    stderr: 'tracegate: that is not the word: nothing was written\n',
    isReviewed: false,
  })
  const piped = await tracegate(['review', '--data', gate.app.dataDir])
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('review asks a person') as string })
})
