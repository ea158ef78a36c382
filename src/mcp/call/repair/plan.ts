import * as z from 'zod'
import { neverGuessed, words } from '../../define/parameters.ts'

/** The kind of value of a parameter, as far as repair distinguishes it. */
export type ValueKind =
  | { is: 'whole_number'; max: number }
  | { is: 'boolean' }
  | { is: 'choice'; values: readonly string[] }
  | { is: 'text'; thing: string | undefined }
  /** An object as JSON text, in a parameter such as `input_json`: a flat schema has no place for an object of any shape. */
  | { is: 'json' }
  | { is: 'list'; item: ValueKind }
  | { is: 'object'; members: ReadonlyMap<string, Parameter> }
  | { is: 'other' }

export interface Parameter {
  name: string
  kind: ValueKind
  optional: boolean
  /** Its meaning is never guessed: only unambiguous values are converted. */
  literal: boolean
}

/** A tool's parameters, by name and by other words for them. */
export interface Plan {
  parameters: ReadonlyMap<string, Parameter>
  byWord: ReadonlyMap<string, Parameter>
}

const plans = new WeakMap<z.ZodObject, Plan>()

/** The plan of a tool's input schema; computed once per schema. */
export function inputPlan(schema: z.ZodObject): Plan {
  const known = plans.get(schema)
  if (known !== undefined) return known
  const parameters = toParameters(schema)
  const plan = { parameters, byWord: byWord([...parameters.values()]) }
  plans.set(schema, plan)
  return plan
}

/** A word without case and separators: `lastSeen`, `last-seen` and `LAST_SEEN` are equal. */
export function folded(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '')
}

function toParameters(schema: z.ZodObject): Map<string, Parameter> {
  return new Map(Object.entries(schema.shape).map(([name, member]) => [name, toParameter(name, member)] as const))
}

function toParameter(name: string, schema: z.core.$ZodType): Parameter {
  let inner = schema
  let optional = false
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodNullable) {
    inner = inner.unwrap()
    optional = true
  }
  const isJson = inner instanceof z.ZodString && name.endsWith('_json')
  const kind = isJson ? { is: 'json' as const } : valueKind(inner, words.get(name)?.thing)
  return { name, kind, optional, literal: neverGuessed.has(name) }
}

function valueKind(schema: z.core.$ZodType, thing: string | undefined): ValueKind {
  if (schema instanceof z.ZodNumber) {
    return schema.isInt ? { is: 'whole_number', max: schema.maxValue ?? Infinity } : { is: 'other' }
  }
  if (schema instanceof z.ZodBoolean) return { is: 'boolean' }
  if (schema instanceof z.ZodEnum) return { is: 'choice', values: schema.options.map(String) }
  if (schema instanceof z.ZodString) return { is: 'text', thing }
  if (schema instanceof z.ZodArray) return { is: 'list', item: valueKind(schema.element, thing) }
  if (schema instanceof z.ZodObject) return { is: 'object', members: toParameters(schema) }
  return { is: 'other' }
}

/** Names win over other words; a word that could mean two parameters means neither. */
function byWord(parameters: readonly Parameter[]): Map<string, Parameter> {
  const claims = new Map<string, Set<Parameter>>()
  const main = mainParameter(parameters)
  for (const parameter of parameters) {
    for (const word of [...otherWords(parameter), ...(parameter === main ? ['id', 'ids', 'key'] : [])]) {
      claims.set(folded(word), (claims.get(folded(word)) ?? new Set()).add(parameter))
    }
  }
  const sole = [...claims].flatMap(([word, [first, ...others]]): [string, Parameter][] =>
    first === undefined || others.length > 0 ? [] : [[word, first]],
  )
  return new Map([...sole, ...parameters.map((parameter) => [folded(parameter.name), parameter] as const)])
}

function otherWords({ name, kind, literal }: Parameter): string[] {
  if (literal) return []
  const { thing, also = [] } = words.get(name) ?? {}
  const singular = [name, ...also].map((word) => word.replace(/s$/, ''))
  const stems = thing === undefined || kind.is === 'boolean' ? [] : singular
  return [
    ...singular,
    ...singular.map((word) => `${word}s`),
    ...stems.flatMap((word) => [`${word}_id`, `${word}_ids`, `${word}_key`, `${word}_keys`, `${word}_name`]),
  ]
}

/** The parameter that a bare `id` means: the only required one that takes an id. */
function mainParameter(parameters: readonly Parameter[]): Parameter | undefined {
  const [only, ...others] = parameters.filter(({ name, optional }) => !optional && words.get(name)?.thing !== undefined)
  return others.length === 0 ? only : undefined
}
