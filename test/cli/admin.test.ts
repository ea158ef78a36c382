import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp } from '../app.ts'
import { tracegate } from './run.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'tracegate-admin-'))
  await tracegate(['init', dataDir, '--name', 'Shop', '--data', dataDir])
})
afterAll(() => rmSync(dataDir, { recursive: true }))

const admin = (...words: string[]) => tracegate(['admin', ...words, '--data', dataDir])

test('a second person gets a token that the service accepts as theirs, until it is revoked', async () => {
  const added = await admin('user', 'add', 'Bob Best', '--email', 'bob@example.test')
  expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Bob Best \| bob@example\.test \| /) })
  expect((await admin('user', 'list')).stdout).toMatch(/^Owner .*\nBob Best /)
  const { stdout, stderr } = await admin('token', 'add', '--user', 'Bob Best')
  expect(stdout).toMatch(/^tg_[0-9A-Za-z]{40}\n$/)
  expect(stderr).toContain('personal token for Bob Best: read, write, gate:accept, gate:approve, agents:run')
  const authorization = `Bearer ${stdout.trim()}`
  await using app = await startApp({ dataDir })
  const me = async () => app.request<{ token: { id: string } }>('GET', '/v1/auth/me', undefined, { authorization })
  const { body } = await me()
  expect(body).toMatchObject({ user: { display_name: 'Bob Best', workspaces: [{}] }, token: { kind: 'person' } })
  const listed = (await admin('token', 'list')).stdout
  expect(listed).toContain(`${body.token.id} | Bob Best | person`)
  expect(listed).not.toContain(stdout.trim())
  expect(await admin('token', 'revoke', body.token.id)).toMatchObject({ code: 0 })
  expect((await me()).status).toBe(401)
  expect(await admin('token', 'revoke', body.token.id)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/revoked already/),
  })
  const audits = await app.db.read
    .selectFrom('audit')
    .select(['verb', 'actor'])
    .where('resource_type', '=', 'token')
    .execute()
  expect(audits.map(({ verb }) => verb)).toEqual(['create', 'revoke'])
  expect(audits[0]?.actor).toContain('tracegate admin')
})

test('a name with a character that nobody sees is refused, and one that is stored already is printed without it', async () => {
  for (const name of ['Bob \u202etseB', 'Bob\u200bBest', 'Bob\u001b[31m', 'Bob\nBest']) {
    expect(await admin('user', 'add', name)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/admin user add: the name has an invisible or a control character/),
    })
    expect((await admin('product', 'name', name)).stderr).toMatch(/the name has an invisible or a control character/)
  }
  await using app = await startApp({ dataDir })
  const old = { id: 'u-old', email: 'old@example.test', display_name: 'Eve \u202e)renwO(', onboarding_updated_at: null }
  await app.db.write((rows) =>
    rows
      .insertInto('user')
      .values({ ...old, created_at: 1 })
      .execute(),
  )
  expect((await admin('user', 'list')).stdout).toContain('Eve )renwO( | old@example.test')
  expect((await admin('token', 'add', '--user', 'Eve )renwO(')).stderr).toContain('a personal token for Eve )renwO(:')
  expect((await admin('user', 'add', 'Eve )renwO(')).stderr).toContain('there is a user Eve )renwO( (old@example.test)')
  await app.db.write(async (rows) => {
    await rows.deleteFrom('token').where('user_id', '=', old.id).execute()
    await rows.deleteFrom('user').where('id', '=', old.id).execute()
  })
})

test('a name is found however its letters are composed', async () => {
  const decomposed = 'Jose\u0301'
  expect((await admin('user', 'add', decomposed)).stdout).toMatch(/^Jos\u00e9 \|/)
  for (const name of [decomposed, 'Jos\u00e9']) {
    expect(await admin('token', 'add', '--user', name)).toMatchObject({ code: 0 })
    expect(await admin('user', 'add', name)).toMatchObject({ code: 1, stderr: expect.stringContaining('already') })
  }
})

test('tokens of agents and CI have their kind, fewer scopes, and an end if it is given', async () => {
  const agent = await admin('token', 'add', '--user', 'Owner', '--agent', '--expires', '30d')
  expect(agent.stderr).toMatch(/agent token for Owner: read, write, gate:accept, agents:run; it expires at \d/)
  const ci = await admin('token', 'add', '--user', 'owner@localhost', '--ci', '--scopes', 'write')
  expect(ci.stderr).toContain('CI token for Owner: read, write; it does not expire')
  expect(await admin('token', 'add', '--user', 'Owner', '--scopes', 'all')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no scope all'),
  })
  expect(await admin('token', 'add', '--user', 'Nobody')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there are: Owner'),
  })
})

test('two people cannot have one name, because four eyes are told apart by person', async () => {
  expect(await admin('user', 'add', 'Owner')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/choose another name/),
  })
})

test('a gate policy is shown, changed in a file and set as its next version', async () => {
  const shown = JSON.parse((await admin('policy', 'show')).stdout) as { version: number; conditions: { id: string }[] }
  const file = join(dataDir, 'policy.json')
  writeFileSync(file, JSON.stringify({ ...shown, conditions: shown.conditions.slice(0, 1), result_max_age_hours: 24 }))
  expect(await admin('policy', 'set', file)).toMatchObject({ code: 0, stdout: 'Shop: the gate policy is version 2\n' })
  expect(JSON.parse((await admin('policy', 'show')).stdout)).toMatchObject({
    version: 2,
    result_max_age_hours: 24,
    conditions: [{ id: 'critical_coverage' }],
  })
  writeFileSync(file, JSON.stringify({ result_max_age_days: 1, conditions: [{ id: 'Upper' }] }))
  const refused = await admin('policy', 'set', file)
  expect(refused.code).toBe(2)
  expect(refused.stderr).toContain('conditions.0.id: lower-case words')
  expect(refused.stderr).toContain('result_max_age_days')
  const green = shown.conditions.map((rule) =>
    rule.id === 'failing_tests' ? { ...rule, comparator: 'COMPARATOR_GTE' } : rule,
  )
  writeFileSync(file, JSON.stringify({ ...shown, conditions: green }))
  expect(await admin('policy', 'set', file)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('condition failing_tests: failing_tests takes LTE, at most the threshold'),
  })
})

test('the environments in which one person may accept and approve are named one by one', async () => {
  const setting = async (value: string) => {
    const { code, stdout, stderr } = await admin('settings', 'single_user_approval', value)
    return code === 0 ? (JSON.parse(stdout) as { single_user_approval: string[] }).single_user_approval : stderr
  }
  await using app = await startApp({ dataDir })
  await app.api.createEnvironment({ product_id: app.productId, name: 'qa' })
  expect(await setting('qa')).toEqual(['qa'])
  expect(await setting('moon')).toContain('there is no environment moon')
  expect(await setting('all')).toEqual(['*'])
  expect(await setting('none')).toEqual([])
  expect((await admin('settings')).stdout).toContain('"single_user_approval": []')
})

test.each(['', '  ', 'x'.repeat(81)])('a person or product cannot be named "%s"', async (name) => {
  for (const command of [
    ['user', 'add'],
    ['product', 'name'],
  ]) {
    expect(await admin(...command, name)).toMatchObject({
      code: 2,
      stderr: `tracegate: admin ${command.join(' ')}: use a name of 1 to 80 characters\n`,
    })
  }
  expect((await admin('user', 'list')).stdout).not.toMatch(/^\s*\|/m)
})

test('admin never goes over the network, and says what it takes', async () => {
  const env = { TRACEGATE_BASE_URL: 'https://tracegate.example', TRACEGATE_API_TOKEN: 'tg_x' }
  const remote = await tracegate(['admin', 'user', 'list', '--data', dataDir], env)
  expect(remote).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/never over the network: unset TRACEGATE_BASE_URL/),
  })
  expect(await admin('user', 'add')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/use: tracegate admin user add NAME/),
  })
  expect(await admin('users')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/admin needs one of: product list, /),
  })
  const empty = await tracegate(['admin', 'user', 'list', '--data', join(dataDir, 'empty')])
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/start with tracegate init/) })
})

test('a tool that runs over stdio is marked in the audit trail', async () => {
  const call = ['call', 'save_requirement', '{"title":"The cart adds up"}', '--toolsets', 'all', '--data', dataDir]
  expect(await tracegate(call)).toMatchObject({ code: 0, stderr: '' })
  await using app = await startApp({ dataDir })
  const rows = await app.db.read.selectFrom('audit').select('via').where('resource_type', '=', 'requirement').execute()
  expect(rows).toEqual([{ via: 'mcp' }])
})

test('a product gets another name, and its prefix only as long as no issue has a key', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'tracegate-admin-'))
  const here = (...words: string[]) => tracegate(['admin', 'product', ...words, '--data', fresh])
  try {
    {
      await using app = await startApp({ dataDir: fresh })
      expect(await here('list')).toMatchObject({ stdout: 'My product | APP-1, … | 1\n' })
      const named = await here('name', 'Tea shop', '--key-prefix', 'TEA', '--repository', 'https://git.example/tea')
      expect(named).toMatchObject({ code: 0, stdout: 'Tea shop | TEA-1, … | 1\n' })
      await app.ingest({ environment: 'production' })
    }
    const refused = await here('name', 'Tea', '--key-prefix', 'TS')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the keys of issues stay TEA-1') })
    expect((await here('name', 'Tea', '--product', 'Tea shop')).stdout).toBe('Tea | TEA-1, … | 1\n')
    expect((await here('name', ' ')).stderr).toContain('use a name of 1 to 80 characters')
    expect((await here('name', 'X', '--product', 'Teas')).stderr).toContain('did you mean Tea (1)?')
    await using app = await startApp({ dataDir: fresh })
    const [row] = await app.db.read.selectFrom('product').select(['slug', 'repository']).execute()
    expect(row).toMatchObject({ slug: 'tea', repository: expect.stringContaining('https://git.example/tea') })
  } finally {
    rmSync(fresh, { recursive: true })
  }
})
