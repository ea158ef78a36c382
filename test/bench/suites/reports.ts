import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import { serve, type Served } from '../../serve.ts'
import { openProduct } from '../fixtures/quality-product.ts'
import { elapsed, inTurn } from '../harness/measure.ts'
import type { Figure, Suite, Table } from '../harness/suite.ts'
import { flood, unlimit } from '../support/flood/flood.ts'

const ROUNDS = 5
const CASES = 2_000
const LARGE = 5_000
/** A case may take half as long again when ten times as many are stored. */
const SLOWER = 1.5

/** Storing reports in a small and a large product, and next to senders that leave no pause. */
export const reports: Suite = {
  about: `Reports of ${CASES.toLocaleString('en')} cases, by processor time, in a product of 1,000 requirements and 10,000 cases and in one ten times as large; and a report of ${LARGE.toLocaleString('en')} new cases over HTTP, alone and while 64 connections send events as fast as they are answered.`,
  async run() {
    return [await bySize(), await withOthers()]
  },
}

type Cases = (round: number) => { name: string; file_path: string }[]

const shapes: Record<string, Cases> = {
  'new cases': (round) =>
    cases((at) => ({ name: `case ${String(at)}`, file_path: `test/new-${String(round)}-${String(at % 50)}.test.ts` })),
  'cases that name requirements': (round) =>
    cases((at) => ({
      name: `case ${String(at)} [REQ-${String(1 + (at % 1_000))}]`,
      file_path: `test/named-${String(round)}.test.ts`,
    })),
  'known cases': () =>
    cases((at) => ({ name: `pays back ${String(at)}`, file_path: `test/known-${String(at % 50)}.test.ts` })),
}

function cases<T>(make: (index: number) => T): T[] {
  return Array.from({ length: CASES }, (_, index) => make(index))
}

async function bySize(): Promise<Table> {
  await using small = await openProduct({ requirements: 1_000, tests: 10_000 })
  await using large = await openProduct({ requirements: 10_000, tests: 100_000 })
  const figures: Figure[] = []
  for (const [name, shape] of Object.entries(shapes)) {
    // The first report of a shape compiles what it needs, and makes its cases known.
    await rate(small, shape)
    await rate(large, shape)
    const [few, many] = [`${name}, 10,000 stored`, `${name}, 100,000 stored`]
    const rates = await inTurn({ [few]: () => rate(small, shape), [many]: () => rate(large, shape) }, ROUNDS)
    figures.push({ name: few, unit: 'cases/s', values: rates[few] ?? [] })
    const goals = [{ of: 'ratio', least: Number((1 / SLOWER).toFixed(2)) }] as const
    figures.push({ name: many, unit: 'cases/s', values: rates[many] ?? [], against: few, goals })
  }
  return { title: 'Cases stored in a second of processor time', figures }
}

let rounds = 0

async function rate({ api, productId }: App, shape: Cases): Promise<number> {
  rounds += 1
  const sent = shape(rounds).map((one) => ({ ...one, suite_path: ['suite'], status: 'RESULT_STATUS_PASSED' as const }))
  const before = process.cpuUsage()
  await api.ingestTests({ product_id: productId, draft: { cases: sent }, run: { run_key: crypto.randomUUID() } })
  const { user, system } = process.cpuUsage(before)
  return CASES / ((user + system) / 1_000_000)
}

async function withOthers(): Promise<Table> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-bench-'))
  try {
    {
      await using _creates = await serve({ dataDir })
    }
    unlimit(dataDir)
    await using served = await serve({ dataDir, env: { TRACEGATE_LOG_LEVEL: 'error' } })
    await report(served)
    const taken = await inTurn({ alone: () => report(served), 'with 64 senders': () => withSenders(served) }, 3)
    const goals = [{ of: 'ratio', most: 6 }] as const
    return {
      title: `A report of ${LARGE.toLocaleString('en')} new cases over HTTP`,
      figures: [
        { name: 'alone', unit: 's', values: taken.alone },
        { name: 'with 64 senders', unit: 's', values: taken['with 64 senders'], against: 'alone', goals },
      ],
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

let sent = 0

async function withSenders(served: Served): Promise<number> {
  const stop = new AbortController()
  const senders = flood(served.endpoints, () => (sent += 1), stop.signal)
  try {
    return await report(served)
  } finally {
    stop.abort()
    await senders
  }
}

/** Seconds until a report whose cases are all new is stored. */
async function report({ endpoints }: Served): Promise<number> {
  rounds += 1
  const lines = Array.from(
    { length: LARGE },
    (_, at) => `<testcase name="case ${String(at)} of usual length" classname="suite" time="0.01"/>`,
  )
  const body = `<testsuite name="suite" file="test/suite-${String(rounds)}.test.ts">${lines.join('\n')}</testsuite>`
  const headers = { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/xml' }
  const address = `${endpoints.rest}/v1/products/${endpoints.product_id}/tests:ingest`
  const ms = await elapsed(async () => {
    const reply = await fetch(address, { method: 'POST', headers, body })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`the report was answered with ${String(reply.status)}: ${text}`)
  })
  return ms / 1_000
}
