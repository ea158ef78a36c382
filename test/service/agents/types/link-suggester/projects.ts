import { readFile } from 'node:fs/promises'
import { readRequirements } from '../../../../../src/service/sample/requirements.ts'
import { readReport, sampleRuns } from '../../../../../src/service/sample/test-reports.ts'
import type { App } from '../../../../app.ts'

/** A case as a draft of `tests:ingest` gives it. */
export interface Case {
  file_path?: string
  suite_path?: string[]
  name: string
  tags?: string[]
}

/** The links that a person would make, as `key of the requirement < suite > name of the test`. */
export type Truth = ReadonlySet<string>

/** Registers cases as a report that passed. */
export async function report(app: App, ...cases: Case[]): Promise<void> {
  const draft = {
    cases: cases.map((one) => ({ file_path: 'test/all.test.ts', suite_path: [], status: 'passed', ...one })),
  }
  await ingest(app, { draft })
}

async function ingest(app: App, body: object): Promise<void> {
  const { status } = await app.request('POST', `/v1/products/${app.productId}/tests:ingest`, body)
  if (status !== 200) throw new Error(`the report was answered with ${String(status)}`)
}

/** Creates a requirement; resolves to its id and its key. */
export async function demand(app: App, fields: Record<string, unknown>) {
  const path = `/v1/products/${app.productId}/requirements`
  const body = { status: 'APPROVED', ...fields }
  const reply = await app.request<{ requirement: { id: string; key: string } }>('POST', path, body)
  return reply.body.requirement
}

export function linkName(key: string, suites: readonly string[], name: string): string {
  return `${key} < ${[...suites, name].join(' > ')}`
}

/**
 * The project of `clinic.txt`. Its lines are a group (G), a requirement (R: title, statement, criteria, code reference), a test
 * of the requirement above (T: file, suite, name), or a test that verifies none of the requirements (N).
 */
export async function createClinic(app: App): Promise<Truth> {
  const truth = new Set<string>()
  const cases: Case[] = []
  let group = ''
  let key = ''
  for (const line of (await readFile(new URL('clinic.txt', import.meta.url), 'utf8')).trim().split('\n')) {
    const [first = '', second = '', third = '', path = ''] = line
      .slice(2)
      .split('|')
      .map((part) => part.trim())
    if (line.startsWith('G')) group = (await demand(app, { kind: 'GROUP', title: first })).id
    else if (line.startsWith('R')) {
      const criteria = third.split(' // ').filter((text) => text !== '')
      const fields = {
        acceptance_criteria: criteria.map((text) => ({ text })),
        code_refs: path === '' ? [] : [{ path }],
      }
      key = (await demand(app, { title: first, statement: second, parent_id: group, ...fields })).key
    } else {
      const suites = second === '' ? [] : [second]
      cases.push({ file_path: first, suite_path: suites, name: third })
      if (line.startsWith('T')) truth.add(linkName(key, suites, third))
    }
  }
  await report(app, ...cases)
  return truth
}

/**
 * The requirements and test reports of the sample shop without the keys that its tests name, which are the truth, as are the
 * links that a person made and the test of the delivery day, which has no link.
 */
export async function createUnlinkedShop(app: App, sample: App): Promise<Truth> {
  const ids = new Map<string, string>()
  for (const { key, parent, component: _, ...fields } of await readRequirements()) {
    const created = await demand(app, { ...fields, ...(parent !== '' && { parent_id: ids.get(parent) }) })
    ids.set(key, created.id)
  }
  for (const run of sampleRuns) {
    const text = JSON.stringify(await readReport(run, Date.now())).replaceAll(/\[REQ-\d+\] |"@?REQ-\d+"/g, withoutKey)
    await ingest(app, {
      draft: { content: JSON.parse(text) as object },
      run: { run_key: run.run_key },
      options: { root_dir: '/srv/shop' },
    })
  }
  const links = await sample.db.read
    .selectFrom('test_link')
    .innerJoin('test', 'test.id', 'test_link.test_id')
    .innerJoin('requirement', 'requirement.id', 'test_link.requirement_id')
    .select(['test.suite_path', 'test.title', 'requirement.number'])
    .execute()
  const made = links.map(({ number, suite_path: suites, title }) =>
    linkName(`REQ-${String(number)}`, JSON.parse(suites) as string[], title.replace(/\[REQ-\d+\] /, '')),
  )
  return new Set([
    ...made,
    linkName('REQ-32', ['delivery day'], 'of a parcel wished for a Friday is the Tuesday after it'),
  ])
}

/** A tag or a description that is only a key is a text without meaning. */
function withoutKey(found: string): string {
  return found.startsWith('"') ? '"x"' : ''
}
