import { listed, members, shownTime, text, type Members } from './structured.ts'
import type { ConditionPicture, GatePicture, ItemPicture, MatrixPicture, MatrixRowPicture } from '../picture/types.ts'

/** What a tool of the gate answered: a verdict, a matrix, or neither. */
export interface ResultPicture {
  gate: GatePicture | undefined
  matrix: MatrixPicture | undefined
}

/**
 * The structured result of get_quality_gate or compute_quality_gate as a picture. A result leaves empty lists out, so a list
 * that is missing is not drawn at all. Nothing is trusted to have the type that the tool gives it.
 */
export function resultPicture(structured: unknown): ResultPicture {
  const result = members(structured)
  const data = members(result['data'])
  const { verdict } = data
  return {
    gate: verdict === undefined ? undefined : gatePicture(result, data),
    matrix: data['totals'] === undefined && data['requirements'] === undefined ? undefined : matrixPicture(data),
  }
}

function gatePicture(result: Members, data: Members): GatePicture {
  const { status, computed_at: computedAt, stale } = members(data['verdict'])
  const items = itemPictures(data, members(result['untrusted']))
  return {
    product: text(members(result['product'])['name']),
    scope: '',
    status: text(status),
    reason: text(result['answer']),
    settledBy: undefined,
    computedAt: shownTime(computedAt),
    isStale: stale === true,
    conditions: conditionPictures(data, items),
    risks: listed(data['risks'])?.map((risk) => ({
      conditions: text(risk['conditions']) ?? 'not stated',
      state: text(risk['state']) ?? 'not stated',
      acceptedBy: text(risk['accepted_by']),
      approvedBy: text(risk['approved_by']),
      until: shownTime(risk['expires_at']),
      endsSoon: false,
      reason: text(risk['reason']),
    })),
    exclusions: listed(data['exclusions'])?.map((exclusion) => ({
      key: text(exclusion['id']) ?? '',
      kind: text(exclusion['kind']) ?? 'not stated',
      by: text(exclusion['by']),
      byAgent: exclusion['agent'] === true,
      at: shownTime(exclusion['at']),
      reviewedBy: text(exclusion['reviewed_by']),
      reason: text(exclusion['reason']),
    })),
    exclusionsTotal: undefined,
    exclusionsUnreviewed: undefined,
    unvouched: unvouched(data['unvouched']),
    incompleteRuns: undefined,
    history: undefined,
    notes: text(result['warning']) === undefined ? [] : [text(result['warning']) ?? ''],
  }
}

/** Conditions that do not pass as the tool lists them, then those that pass, which it only names. */
function conditionPictures(data: Members, items: ReadonlyMap<string, ItemPicture>): ConditionPicture[] | null {
  const open = listed(data['conditions'])
  const passed = text(data['passed'])
  if (open === undefined && passed === undefined) return null
  return [
    ...(open ?? []).map((condition) => conditionPicture(condition, items)),
    ...(passed?.split(', ') ?? []).map((id) => ({ ...nameless, id, title: titleFrom(id), status: 'PASS' })),
  ]
}

const nameless = {
  isBlocking: undefined,
  limit: undefined,
  actual: undefined,
  message: undefined,
  toPass: undefined,
  items: [],
  total: undefined,
}

function conditionPicture(condition: Members, items: ReadonlyMap<string, ItemPicture>): ConditionPicture {
  const id = text(condition['id']) ?? ''
  const { keys, more } = itemKeys(text(condition['items']))
  const severity = text(condition['severity'])
  return {
    ...nameless,
    id,
    title: titleFrom(id),
    status: text(condition['status'])?.toUpperCase(),
    isBlocking: severity === undefined ? undefined : severity.toLowerCase() === 'blocking',
    message: text(condition['message']),
    toPass: typeof condition['to_pass'] === 'number' ? condition['to_pass'] : undefined,
    items: keys.map((key) => items.get(key) ?? { ...unknownItem, key }),
    total: keys.length === 0 ? undefined : keys.length + more,
  }
}

/** `failing_tests` as `Failing tests`. */
function titleFrom(id: string): string {
  const words = id.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The keys of `REQ-1, REQ-2 and 3 more`. */
function itemKeys(list = ''): { keys: string[]; more: number } {
  const { keys = list, more = '0' } = /^(?<keys>.*) and (?<more>\d+) more$/.exec(list)?.groups ?? {}
  return { keys: keys === '' ? [] : keys.split(', '), more: Number(more) }
}

const unknownItem = {
  title: undefined,
  isOutside: false,
  state: undefined,
  because: undefined,
  since: undefined,
  isNew: false,
}

/** Items by their keys, with the titles that the service vouches for or, marked, those that outsiders wrote. */
function itemPictures(data: Members, untrusted: Members): ReadonlyMap<string, ItemPicture> {
  const outside = new Map((listed(untrusted['items']) ?? []).map((item) => [text(item['id']), text(item['title'])]))
  return new Map(
    (listed(data['items']) ?? []).map((item) => {
      const key = text(item['id']) ?? ''
      const title = text(item['title'])
      return [
        key,
        {
          key,
          title: title ?? outside.get(key),
          isOutside: title === undefined && outside.get(key) !== undefined,
          state: text(item['state']),
          because: text(item['because']),
          since: shownTime(item['since']),
          isNew: item['new'] === true,
        },
      ]
    }),
  )
}

function unvouched(given: unknown) {
  if (given === undefined) return undefined
  const counts = Object.entries(members(given)).flatMap(([name, count]) =>
    typeof count === 'number' && count > 0 ? [`${String(count)} ${name.replace('_issues', '')}`] : [],
  )
  return { counts: counts.join(', '), items: [] }
}

function matrixPicture(data: Members): MatrixPicture {
  return {
    rows: (listed(data['requirements']) ?? []).map(rowPicture),
    totals: Object.entries(members(data['totals'])).map(([name, value]) => ({
      label: titleFrom(name),
      value: typeof value === 'number' ? String(value) : 'not stated',
    })),
  }
}

function rowPicture(row: Members): MatrixRowPicture {
  return {
    key: text(row['id']) ?? 'not stated',
    title: text(row['title']),
    state: text(row['state']),
    failing: row['failing'] === true,
    suspect: row['suspect'] === true,
    tests: text(row['tests'])?.split(', ') ?? [],
    issues: text(row['issues'])?.split(', ') ?? [],
    risks: typeof row['risks'] === 'number' ? row['risks'] : undefined,
  }
}
