import type { ReceivedResult } from '../../../src/client/api.ts'
import type { ResultOf } from '../../../src/contract/index.ts'
import { isObject } from '../../../src/lib/objects.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import { explainNotOffered, ifOffered } from '../../../src/mcp/resolve/offered.ts'
import { everyPage } from '../../../src/mcp/resolve/requests.ts'
import { nextCall } from '../../../src/mcp/result/next-action.ts'
import { describeValue, TeachingError } from '../../../src/mcp/result/teach.ts'

export type AgentType = ReceivedResult<ResultOf<'listAgentTypes'>>['agent_types'][number]

/** The agent types of the deployment; undefined where it does not list them. */
export async function readTypes({ api, signal }: Context): Promise<AgentType[] | undefined> {
  const listed = await ifOffered(everyPage((page) => api.listAgentTypes(page, { signal }), 'agent_types'))
  return listed?.rows
}

/** The same; rejects where the deployment does not list them. */
export async function requireTypes({ api, signal }: Context): Promise<AgentType[]> {
  const { rows } = await everyPage((page) => api.listAgentTypes(page, { signal }), 'agent_types').catch(
    explainNotOffered('agent types', { hint: 'get_agent_run still follows runs.' }),
  )
  return rows
}

/** The type of this id or title. */
export async function requireType(given: string, context: Context): Promise<AgentType> {
  const rows = await requireTypes(context)
  const wanted = folded(given)
  const type = rows.find(({ id, title = '' }) => folded(id) === wanted || folded(title) === wanted)
  if (type !== undefined) return type
  throw new TeachingError('not_found', 'agent type not found', {
    sent: `type = ${describeValue(given)}`,
    expected: rows.length === 0 ? 'there is no agent type' : `one of ${rows.map(({ id }) => id).join(', ')}`,
    next: nextCall('get_agent_config', {}, 'what each type is for'),
  })
}

function folded(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
    .trim()
}

/** compute_quality_gate stores verdicts without a question too. */
const UNASKED: ReadonlySet<string> = new Set(['verdicts'])

/** Whether a person confirms its runs: they may write, or the deployment does not say what they write. */
export function needsPerson(type: AgentType | undefined): boolean {
  return type?.writes === undefined || type.writes.some((name) => !UNASKED.has(name))
}

/** The end of the sentence that says what a preview would do. */
export function onceConfirmed(type: AgentType | undefined): string {
  return needsPerson(type) ? ', once the user confirms' : ''
}

/** What its runs may write, in words. */
export function writesWords({ writes }: AgentType): string {
  if (writes === undefined) return 'not stated'
  return writes.length === 0 ? 'nothing: it only reads' : writes.map((name) => name.replaceAll('_', ' ')).join(', ')
}

/** `window="7d", limit=50`: the members of its input, with the defaults of those that have one. */
export function inputNames({ input_schema: schema }: AgentType): string {
  return inputMembers(schema)
    .map(({ name, value }) => (value === undefined ? name : `${name}=${JSON.stringify(value)}`))
    .join(', ')
}

/** The members of an input with what they mean, each a row. */
export function inputRows({ input_schema: schema }: AgentType) {
  return inputMembers(schema).map(({ name, type, value, description }) => ({
    name,
    type,
    usual: value === undefined ? undefined : JSON.stringify(value),
    meaning: description,
  }))
}

interface InputMember {
  name: string
  type: string
  /** Its default. */
  value: unknown
  description: string
}

function inputMembers(schema: Readonly<Record<string, unknown>> | undefined): InputMember[] {
  const properties = schema?.['properties']
  if (!isObject(properties)) return []
  return Object.entries(properties).map(([name, member]) => {
    const { default: value, description } = isObject(member) ? member : {}
    return { name, type: typeWords(member), value, description: typeof description === 'string' ? description : '' }
  })
}

/** `string`, `array of string`, `"a" or "b"`. */
function typeWords(member: unknown): string {
  if (!isObject(member)) return ''
  const { type, enum: values, items, anyOf } = member
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (Array.isArray(anyOf)) return anyOf.map(typeWords).join(' or ')
  if (type === 'array') return `array of ${typeWords(items) || 'anything'}`
  return typeof type === 'string' ? type : ''
}
