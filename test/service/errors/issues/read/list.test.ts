import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseOf } from '../../../../../src/contract/index.ts'
import { environmentHandlers } from '../../../../../src/service/handlers/environments.ts'
import { startApp } from '../../../../app.ts'
import { tries } from '../../../../property-tries.ts'
import { dayMs, hourMs, minuteMs, openRig } from '../rig.ts'

const day = Date.parse('2026-11-21T12:00:00Z')

/** Five issues over two environments and three releases; the names say what they are. */
async function shop() {
  const clock = { now: day }
  const app = await startApp({ platform: { now: () => clock.now } })
  const crash = (name: string, ago: number, facts: Record<string, unknown>) =>
    app.ingest({
      timestamp: (clock.now - ago) / 1000,
      exception: {
        values: [
          {
            type: 'Error',
            value: `${name} 100% broken`,
            stacktrace: {
              frames: [
                { function: `open_${name}`, filename: `src/${name}/entry.ts`, lineno: 9, in_app: true },
                { function: name, filename: `src/${name}/main.ts`, lineno: 1, in_app: true },
              ],
            },
          },
        ],
      },
      ...facts,
    })
  await app.request('POST', `/v1/products/${app.productId}/components`, { name: 'Cart', path_globs: ['src/cart/**'] })
  await crash('cart', 10 * dayMs, { environment: 'production', release: '1.0', level: 'fatal' })
  await crash('cart', 30 * minuteMs, { environment: 'staging', release: '2.0', level: 'fatal' })
  await crash('login', 2 * minuteMs, {
    environment: 'production',
    release: '2.0',
    level: 'warning',
    platform: 'python',
  })
  await crash('login', 1 * minuteMs, {
    environment: 'production',
    release: '2.0',
    level: 'warning',
    platform: 'python',
  })
  await crash('search', 11 * hourMs, { environment: 'staging', release: '1.0', level: 'error', platform: 'javascript' })
  await crash('payment', 3 * dayMs, { environment: 'production', level: 'info' })
  await crash('report', 20 * dayMs, { environment: 'staging', release: '1.0' })
  const list = async (query: string) => {
    const { status, body } = await app.request<ResponseOf<'listIssues'>>(
      'GET',
      `/v1/products/${app.productId}/issues?${query}`,
    )
    expect({ status, body }).toMatchObject({ status: 200 })
    expect(body.pagination.total_size).toBe(body.issues.length)
    return body.issues.map(nameOf)
  }
  const environmentIds = async (name: string) => {
    const path = `/v1/products/${app.productId}/environments?name=${name}`
    return (await app.request<ResponseOf<'listEnvironments'>>('GET', path)).body.environments.map(({ id }) => id)
  }
  const releaseIds = async (version: string) => {
    const path = `/v1/products/${app.productId}/releases?version=${version}`
    return (await app.request<ResponseOf<'listReleases'>>('GET', path)).body.releases.map(({ id }) => id)
  }
  const issues = async () =>
    (await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues`)).body.issues
  return { app, clock, list, environmentIds, releaseIds, issues, [Symbol.asyncDispose]: () => app.close() }
}

/** The function that crashed stands first in the culprit. */
function nameOf({ culprit }: { culprit: string }): string {
  return /\w+/.exec(culprit)?.[0] ?? ''
}

const all = ['login', 'cart', 'search', 'payment', 'report']

test('every filter and every order of the specification finds exactly its issues', async () => {
  await using stage = await shop()
  const { app, list, environmentIds, releaseIds, issues } = stage
  const byName = new Map((await issues()).map((issue) => [nameOf(issue), issue]))
  const setStatus = (name: string, status: string) =>
    app.request('POST', `/v1/issues/${byName.get(name)!.id}:setStatus`, { status })
  await setStatus('search', 'resolved')
  await setStatus('payment', 'ignored')
  const [production] = await environmentIds('production')
  const [staging] = await environmentIds('staging')
  const releases = await releaseIds('2.0')
  const detail = await app.request<ResponseOf<'getIssue'>>('GET', `/v1/issues/${byName.get('login')!.id}`)
  const twoInProduction = detail.body.releases[0]!.id
  const twoInStaging = releases.find((id) => id !== twoInProduction)
  const component = byName.get('cart')!.component!.id

  const cases: [string, string[]][] = [
    ['', all],
    ['status=', all],
    ['status=unresolved', ['login', 'cart', 'report']],
    ['status=resolved', ['search']],
    ['status=IGNORED', ['payment']],
    [`environment_id=${production}`, ['login', 'cart', 'payment']],
    [`environment_id=${staging}`, ['cart', 'search', 'report']],
    ['environment_id=nowhere', []],
    [`release_id=${twoInProduction}`, ['login']],
    [`release_id=${twoInStaging}`, ['cart']],
    [`release_id=${twoInStaging}&environment_id=${production}`, []],
    [`component_id=${component}`, ['cart']],
    ['levels=fatal', ['cart']],
    ['levels=fatal&levels=warning', ['login', 'cart']],
    ['platforms=python&platforms=javascript', ['login', 'search']],
    ['period=3m', ['login']],
    ['period=1h', ['login', 'cart']],
    ['period=12h', ['login', 'cart', 'search']],
    ['period=1d', ['login', 'cart', 'search']],
    ['period=7d', ['login', 'cart', 'search', 'payment']],
    ['period=30d', all],
    // The newest crash of the cart was in staging: in production its last one is ten days old.
    [`period=7d&environment_id=${production}`, ['login', 'payment']],
    [`period=1h&environment_id=${staging}`, ['cart']],
    ['q=LOGIN', ['login']],
    ['q=100%25', all],
    ['q=100_', []],
    ['q=src/cart', ['cart']],
    // Below the crash: in neither title nor culprit.
    ['q=CART/entry', ['cart']],
    ['q=open_search', ['search']],
    ['q=entry.ts', all],
    [`short_id=${byName.get('search')!.short_id.toLowerCase()}`, ['search']],
    ['short_id=OTHER-1', []],
    ['is_regression=false', all],
    ['is_regression=true', []],
    [`first_release_id=${twoInProduction}`, ['login']],
    // Known in production before, but 2.0 brought it to staging.
    [`first_release_id=${twoInStaging}`, ['cart']],
    [`first_release_id=${twoInStaging}&environment_id=${production}`, ['cart']],
    ['sort=last_seen', all],
    ['sort=first_seen', ['login', 'search', 'payment', 'cart', 'report']],
    ['status=unresolved&levels=fatal&period=1h&platforms=node', ['cart']],
  ]
  for (const [query, expected] of cases) expect([query, await list(query)]).toEqual([query, expected])
  // Counts 2, 2, 1, 1, 1: equal ones are ordered by id, the newer issue first.
  expect(await list('sort=times_seen')).toEqual(['login', 'cart', 'report', 'payment', 'search'])
})

test('a release has as new the issues that it brought to its environment, however late their first event comes in', async () => {
  await using stage = await shop()
  const { app, clock, list, releaseIds } = stage
  const crash = (release: string, ago: number) =>
    app.ingest({ environment: 'production', release, timestamp: (clock.now - ago) / 1000 })
  await crash('2.0', minuteMs)
  const releases = () =>
    app.request<ResponseOf<'listReleases'>>('GET', `/v1/products/${app.productId}/releases?version=2.0`)
  const counts = async () =>
    (await releases()).body.releases
      .map((release) => `${release.environment} ${String(release.counts.new_issues)}`)
      .toSorted()
  expect(await counts()).toEqual(['production 2', 'staging 1'])
  const inProduction = (await releases()).body.releases.find(({ environment }) => environment === 'production')!.id
  expect(await list(`first_release_id=${inProduction}`)).toEqual(['total', 'login'])
  // An older occurrence arrives late.
  await crash('1.0', hourMs)
  expect(await list(`first_release_id=${inProduction}`)).toEqual(['login'])
  expect(await counts()).toEqual(['production 1', 'staging 1'])
  expect(await releaseIds('1.0')).toHaveLength(2)
})

test('an issue says in which environments it occurs and what caused its newest error', async () => {
  await using stage = await shop()
  const { app, issues } = stage
  const chain = (...types: string[]) => ({ exception: { values: types.map((type) => ({ type, value: 'not read' })) } })
  await app.ingest(chain('InvalidOperation', 'AmountError', 'AmountError', 'ImportFailed'), chain('ImportFailed'))
  const found = await issues()
  const cart = found.find((issue) => nameOf(issue) === 'cart')!
  expect(cart.environments).toMatchObject([
    { name: 'production', known: true, events: 1 },
    { name: 'staging', known: true, events: 1 },
  ])
  expect(cart.causes).toEqual([])
  const failed = found.filter(({ type }) => type === 'ImportFailed')
  expect(failed.map(({ causes = [] }) => causes.join(' < ')).toSorted()).toEqual(['', 'AmountError < InvalidOperation'])
  expect(await stage.list('q=invalidoperation')).toHaveLength(1)
})

test('a search finds causes by their names as they are written', async () => {
  await using app = await startApp()
  const types = ['App\\Exceptions\\PaymentDeclined', 'App\\Http\\CheckoutFailed']
  await app.ingest({ platform: 'php', exception: { values: types.map((type) => ({ type, value: 'broken' })) } })
  const found = async (text: string) => {
    const path = `/v1/products/${app.productId}/issues?q=${encodeURIComponent(text)}`
    return (await app.request<ResponseOf<'listIssues'>>('GET', path)).body.issues.length
  }
  for (const text of ['paymentdeclined', 'Exceptions\\PaymentDeclined', 'Http\\Checkout']) {
    expect([text, await found(text)]).toEqual([text, 1])
  }
  for (const text of ['Exceptions\\\\Payment', '["App']) expect([text, await found(text)]).toEqual([text, 0])
})

test('a deleted environment stops matching', async () => {
  await using stage = await shop()
  const [staging] = await stage.environmentIds('staging')
  expect((await stage.app.request('DELETE', `/v1/environments/${staging}`)).status).toBe(200)
  expect(await stage.list(`environment_id=${staging}`)).toEqual([])
  expect(await stage.list('')).toEqual(all)
})

test('a value that is not allowed is named with those that are', async () => {
  await using app = await startApp()
  const answer = await app.request('GET', `/v1/products/${app.productId}/issues?period=3h`)
  expect(answer.status).toBe(400)
  expect(JSON.stringify(answer.body)).toContain('12h')
})

test('an issue is new for a week, then ongoing, and quiet two weeks after its last crash', async () => {
  await using stage = await shop()
  const { app, clock } = stage
  const substatus = async () => {
    const { body } = await app.request<ResponseOf<'listIssues'>>('GET', `/v1/products/${app.productId}/issues?q=login`)
    return body.issues[0]!.substatus
  }
  expect(await substatus()).toBe('ISSUE_SUBSTATUS_NEW')
  clock.now += 8 * dayMs
  expect(await substatus()).toBe('ISSUE_SUBSTATUS_ONGOING')
  clock.now += 7 * dayMs
  expect(await substatus()).toBe('ISSUE_SUBSTATUS_QUIET')
})

test('a total is the number of the issues and the loudest are first, whatever the filters and whatever was stored or changed', async () => {
  const releases = ['1.0', '2.0']
  const environments = ['production', 'staging']
  const event = fc.record({
    kind: fc.constantFrom('cart', 'login', 'search'),
    release: fc.constantFrom(...releases),
    environment: fc.constantFrom(...environments),
    level: fc.constantFrom('error', 'fatal'),
    platform: fc.constantFrom('node', 'python'),
  })
  const change = fc.record({ at: fc.nat(5), status: fc.constantFrom('resolved', 'ignored', 'unresolved') })
  const deletion = fc.record({ deletes: fc.constant('staging') })
  const filter = fc.record(
    {
      status: fc.constantFrom('', 'resolved', 'ignored', 'unresolved'),
      levels: fc.subarray(['error', 'fatal'] as const),
      platforms: fc.subarray(['node', 'python', 'ruby']),
      is_regression: fc.boolean(),
      period: fc.constantFrom('1h', '1d'),
      q: fc.constantFrom('cart', 'LOGIN', 'failed', 'nothing', ' '),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 9, arbitrary: event }, { weight: 6, arbitrary: change }, deletion), {
        maxLength: 15,
      }),
      fc.array(filter, { minLength: 2, maxLength: 2 }),
      fc.nat(hourMs),
      async (steps, filters, stepMs) => {
        await using rig = await openRig()
        const releaseIds = await Promise.all(
          environments.flatMap((environment) => releases.map((version) => rig.release(version, environment))),
        )
        const known = await environmentHandlers.listEnvironments({ product_id: rig.product_id }, rig.call)
        const environmentIds = environments.map((name) => known.environments.find((one) => one.name === name)!.id)
        const places = [undefined, ...releaseIds].flatMap((release_id) =>
          [undefined, ...environmentIds].map((environment_id) => ({
            ...(release_id !== undefined && { release_id }),
            ...(environment_id !== undefined && { environment_id }),
          })),
        )
        for (const step of steps) {
          rig.clock.now += stepMs
          const { length } = await rig.issues()
          if ('kind' in step) await rig.append(step)
          else if ('deletes' in step) {
            await environmentHandlers.deleteEnvironment({ id: environmentIds[1]! }, rig.call).catch(() => undefined)
          } else if (length > 0) {
            const { id } = (await rig.issues())[step.at % length]!
            await rig.handlers.setIssueStatus({ id, status: step.status }, rig.call)
          }
          for (const place of places) {
            for (const chosen of filters) {
              const asked = { product_id: rig.product_id, ...place, ...chosen }
              const { issues, pagination } = await rig.handlers.listIssues({ ...asked, page_size: 200 }, rig.call)
              expect({ asked, total: pagination.total_size }).toEqual({ asked, total: issues.length })
              const loud = { ...asked, sort: 'times_seen', page_size: 2 } as const
              const loudest = await rig.handlers.listIssues(loud, rig.call)
              expect({ loud, ids: loudest.issues.map(({ id }) => id) }).toEqual({
                loud,
                ids: idsByCount(issues).slice(0, 2),
              })
              expect({ loud, isLast: loudest.pagination.next_page_token === '' }).toEqual({
                loud,
                isLast: issues.length < 3,
              })
            }
          }
        }
      },
    ),
    { numRuns: tries(20) },
  )
})

test('every page of a walk has the issues that a reader which keeps nothing finds, also when something is stored between two pages', async () => {
  const event = fc.record({
    kind: fc.constantFrom('cart', 'login', 'search', 'pay', 'ship'),
    release: fc.constantFrom('1.0', '2.0'),
    environment: fc.constantFrom('production', 'staging'),
    level: fc.constantFrom('error', 'fatal'),
    ago: fc.constantFrom(0, minuteMs, 3 * hourMs, 2 * dayMs),
  })
  const change = fc.record({ at: fc.nat(5), status: fc.constantFrom('resolved', 'unresolved') })
  const filter = fc.record(
    {
      sort: fc.constantFrom('last_seen', 'first_seen', 'times_seen'),
      status: fc.constantFrom('resolved', 'unresolved'),
      levels: fc.subarray(['error', 'fatal'] as const),
      period: fc.constantFrom('1h', '1d'),
      environment: fc.constantFrom('production', 'staging'),
      release: fc.boolean(),
    },
    { requiredKeys: ['sort'] },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: event }, change), { minLength: 4, maxLength: 20, size: 'max' }),
      fc.array(filter, { minLength: 4, maxLength: 4 }),
      async (steps, filters) => {
        await using rig = await openRig()
        const environments = ['production', 'staging'] as const
        const [production, staging] = await Promise.all(environments.map((name) => rig.release('2.0', name)))
        const releaseIds = { production: production!, staging: staging! }
        const { environments: known } = await environmentHandlers.listEnvironments(
          { product_id: rig.product_id },
          rig.call,
        )
        const environmentId = (wanted: string) => known.find(({ name }) => name === wanted)!.id
        const forgetful = await rig.openForgetful()
        const forgetfulCall = { ...rig.call, db: { ...rig.db, read: forgetful } }
        const asked = filters.map(({ environment, release, ...rest }) => ({
          product_id: rig.product_id,
          page_size: 1,
          ...rest,
          ...(environment !== undefined && { environment_id: environmentId(environment) }),
          ...(release === true && { release_id: releaseIds[environment ?? 'production'] }),
        }))
        // Each list is walked in two rhythms: to its end in one state, and one page after each step.
        const slowly = asked.map((one) => ({ ...one, page_token: '' }))
        const sameInBoth = async (one: (typeof slowly)[number]) => {
          const page = await rig.handlers.listIssues(one, rig.call)
          expect({ one, page }).toEqual({ one, page: await rig.handlers.listIssues(one, forgetfulCall) })
          return page.pagination.next_page_token
        }
        for (const step of steps) {
          rig.clock.now += minuteMs
          const issues = await rig.issues()
          if ('kind' in step) await rig.append(step)
          else if (issues.length > 0) {
            const { id } = issues[step.at % issues.length]!
            await rig.handlers.setIssueStatus({ id, status: step.status }, rig.call)
          }
          for (const one of slowly) one.page_token = await sameInBoth(one)
          for (const one of asked) {
            let token = ''
            do token = await sameInBoth({ ...one, page_token: token })
            while (token !== '')
          }
        }
        await forgetful.destroy()
      },
    ),
    { numRuns: tries(20) },
  )
})

test('a list of a window says when the first of its issues leaves it, in the place that it is asked for', async () => {
  await using rig = await openRig()
  for (const [kind, ago, environment] of [
    ['pay', 50, 'production'],
    ['pay', 5, 'staging'],
    ['ship', 30, 'production'],
    ['ship', 90, 'staging'],
  ] as const)
    await rig.append({ kind, ago: ago * minuteMs, environment })
  const start = rig.clock.now
  const { environments } = await environmentHandlers.listEnvironments({ product_id: rig.product_id }, rig.call)
  const ask = async (filter: { environment_id?: string; q?: string }) => {
    const changes: number[] = []
    const call = { ...rig.call, changesAt: (time: number) => void changes.push(time) }
    const asked = { product_id: rig.product_id, period: '1h', ...filter } as const
    const { issues } = await rig.handlers.listIssues(asked, call)
    return { found: issues.length, changesIn: (Math.min(...changes) - 1 - start) / minuteMs }
  }
  const places = environments.map(({ id }) => ({ environment_id: id }))
  const seen = await Promise.all([{}, ...places, { q: 'ship' }].map(ask))
  expect(seen).toEqual([
    { found: 2, changesIn: 30 },
    { found: 2, changesIn: 10 },
    { found: 1, changesIn: 55 },
    { found: 1, changesIn: 30 },
  ])
  rig.clock.now = start + 30 * minuteMs
  expect((await ask({})).found).toBe(2)
  rig.clock.now += 1
  expect((await ask({})).found).toBe(1)
})

function idsByCount(issues: readonly { id: string; times_seen: number }[]): string[] {
  return issues
    .toSorted((one, other) => other.times_seen - one.times_seen || (one.id < other.id ? 1 : -1))
    .map(({ id }) => id)
}
