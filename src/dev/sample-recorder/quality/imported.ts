import * as z from 'zod'
import { Priority, RiskLevel } from '../../../contract/base/common.ts'
import { RequirementKind, RequirementStatus } from '../../../contract/requirements.ts'
import type { SampleRequirement } from '../../../service/sample/requirements.ts'

/** A requirement before it is numbered; `group` is the index of its group in the list, −1 at the top level. */
export type Imported = Omit<SampleRequirement, 'key' | 'parent'> & { group: number }

/** A word or path that a document assigns to a requirement, such as `priority` and `high`. */
export type DocumentFact = readonly [name: string, value: string]

type RequirementMembers = Pick<SampleRequirement, 'component' | 'kind' | 'status' | 'priority' | 'risk' | 'code_refs'>

const known = z.enum(['priority', 'risk', 'status', 'kind', 'component', 'code'])

/**
 * Combines facts into members of a requirement; later facts win, code references add up. Throws for an unknown fact.
 */
export function requirementMembers(given: readonly DocumentFact[]): RequirementMembers {
  const facts = given.map(([name, value]) => [known.parse(name), value] as const)
  const last = (wanted: string) => facts.findLast(([name]) => name === wanted)?.[1]
  const word = (wanted: string, fallback: string) => (last(wanted) ?? fallback).toUpperCase().replaceAll('-', '_')
  return {
    component: last('component') ?? '',
    kind: RequirementKind.parse(`REQUIREMENT_KIND_${word('kind', 'functional')}`),
    status: RequirementStatus.parse(`REQUIREMENT_STATUS_${word('status', 'approved')}`),
    priority: Priority.parse(`PRIORITY_${word('priority', 'medium')}`),
    risk: RiskLevel.parse(`RISK_LEVEL_${word('risk', 'medium')}`),
    code_refs: facts.flatMap(([name, value]) => (name === 'code' ? [{ path: value }] : [])),
  }
}

/** Quotes lines of a document, counted from 1, without their common indentation. */
export function sourceIn(document: string, uri: string) {
  const all = document.split('\n')
  return (start: number, end: number): SampleRequirement['source'] => {
    const lines = all.slice(start - 1, end)
    const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
    const quote = lines.map((line) => line.slice(Math.min(...indents))).join('\n')
    return { kind: 'REQUIREMENT_SOURCE_IMPORT', uri, line_start: start, line_end: end, quote }
  }
}
