import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import * as z from 'zod'
import { ResultStatus } from '../../../../src/contract/base/common.ts'
import { ServiceError } from '../../../../src/errors.ts'
import type { ParsedReport, ReportCase } from '../../../../src/service/quality/reports/model/report.ts'
import { caseIdentity, repositoryPath } from '../../../../src/service/quality/cases/identity.ts'

type Parse = (json: unknown) => ParsedReport

/** Folder of the project in every recorded report. */
const ROOT = '/home/user/project'

export function fixtureText(path: string): string {
  return readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8')
}

export function fixture(path: string): unknown {
  return JSON.parse(fixtureText(path))
}

/** The case's file relative to the recorded project. */
export function fileOf({ file_path }: Pick<ReportCase, 'file_path'>): string {
  return repositoryPath(file_path, { root_dir: ROOT, root_path: '', path_strip_prefixes: [] })
}

/** As ingest identifies a case. */
export function identity(one: ReportCase): string {
  return caseIdentity({ ...one, file_path: fileOf(one) })
}

/** `RESULT_STATUS_FLAKY` as `FLAKY`. */
export function shortStatus({ status }: Pick<ReportCase, 'status'>): string {
  return status.slice('RESULT_STATUS_'.length)
}

export function caseNamed(report: ParsedReport, name: string, project = ''): ReportCase {
  const found = report.cases.filter((one) => one.name === name && one.project === project)
  expect(found).toHaveLength(1)
  return found[0]!
}

/** Reason and message of the ServiceError that reading `json` throws. */
export function refusal(parse: Parse, json: unknown): { reason: string; message: string } {
  try {
    parse(json)
  } catch (thrown) {
    if (thrown instanceof ServiceError) return { reason: thrown.reason, message: thrown.message }
    throw thrown
  }
  throw new Error('it was read')
}

const whole = (least: number) => z.int().min(least)
const Title = z.string().regex(/^\S(?:[\s\S]*\S)?$/u)

/** What ingest relies on. */
const Promised = z.strictObject({
  format: z.string(),
  framework: z.string(),
  cases: z
    .array(
      z.strictObject({
        file_path: z.string().regex(/^[^\\]*$/u),
        suite_path: z.array(Title),
        name: Title,
        project: z.string(),
        status: ResultStatus,
        attempts: whole(1),
        duration_ms: whole(0),
        message: z.string().max(4096),
        trace: z.string().max(65_536),
        line: whole(0),
        tags: z.array(Title),
        labels: z.record(z.string(), z.string()),
        external_id: z.string(),
        references: z.array(z.string()),
        started_at: whole(1).nullable(),
      }),
    )
    .min(1),
  started_at: whole(1).nullable(),
  finished_at: whole(1).nullable(),
  warnings: z.array(z.strictObject({ code: z.string(), message: z.string(), line: whole(0) })).max(10),
})

interface Mutation {
  steps: number[]
  value: { json: unknown } | undefined
}

const mutations = fc.array(
  fc.record({
    steps: fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
    value: fc.option(fc.record({ json: fc.jsonValue({ maxDepth: 2 }) }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 8 },
)

/**
 * Expects a report with random members replaced or taken away to be read, with a result that keeps every promise, or
 * refused with a ServiceError. Answers how many of the runs were read: none would show nothing.
 */
export function readMutated(parse: Parse, report: unknown, runs: number): number {
  let read = 0
  fc.assert(
    fc.property(mutations, (changes) => {
      const mutated = structuredClone(report)
      for (const change of changes) mutate(mutated, change)
      try {
        const parsed = parse(mutated)
        expect(Promised.safeParse(parsed).error).toBeUndefined()
        read += 1
      } catch (thrown) {
        if (!(thrown instanceof ServiceError)) throw thrown
        expect(['REPORT_UNPARSABLE', 'REPORT_EMPTY']).toContain(thrown.reason)
      }
    }),
    { numRuns: runs },
  )
  return read
}

/** Walks down by the steps and replaces what it arrives at, or takes it away. */
function mutate(root: unknown, { steps, value }: Mutation): void {
  let at = root
  for (const [index, step] of steps.entries()) {
    if (typeof at !== 'object' || at === null) return
    const keys = Object.keys(at)
    const key = keys[step % keys.length]
    if (key === undefined) return
    const next: unknown = Reflect.get(at, key)
    const isEnd = index === steps.length - 1 || typeof next !== 'object' || next === null
    if (!isEnd) at = next
    else if (value !== undefined) return void Reflect.set(at, key, value.json)
    else if (Array.isArray(at)) return void at.splice(Number(key), 1)
    else return void Reflect.deleteProperty(at, key)
  }
}

/** What is a report in no format. */
export const notObjects: { json: unknown }[] = [null, 'report', 7, true, [], [{}], {}].map((json) => ({ json }))
