import * as z from 'zod'
import { pathParameters, type Endpoint } from '../../contract/base/endpoint.ts'
import { ServiceError, type FieldViolation } from '../../errors.ts'

type ParameterKind = 'text' | 'int' | 'number' | 'boolean'

interface Parameter {
  /** The member of the input that the parameter sets. */
  member: string
  kind: ParameterKind
  repeated: boolean
}

/** The specification's names of the paging parameters, in addition to our shorter ones (contract §0.3). */
const aliases: Readonly<Record<string, string>> = {
  page_token: 'pagination.page_token',
  page_size: 'pagination.page_size',
}

/**
 * Compiles the query parameters of an endpoint: every member of its input that is not in the path for GET and DELETE,
 * the etag alone where there is a body. The returned function reads a query string, each value coerced exactly to the
 * type of its member; an empty value counts as absent, as in a gRPC gateway. Throws `invalid_argument`.
 */
export function compileQuery(endpoint: Endpoint): (query: string) => Record<string, unknown> {
  // Most endpoints are not asked in the life of a process.
  let known: Map<string, Parameter> | undefined
  return (query) => {
    const parameters = (known ??= queryParameters(endpoint))
    const input: Record<string, unknown> = {}
    const violations: FieldViolation[] = []
    for (const [name, text] of new URLSearchParams(query)) {
      const parameter = parameters.get(name)
      if (parameter === undefined) violations.push({ field: name.slice(0, 100), description: unknown(parameters) })
      else if (text !== '') take(input, parameter, text, violations)
    }
    if (violations.length > 0) throw invalid(violations)
    return input
  }
}

function queryParameters({ method, path, input, rawBody }: Endpoint): Map<string, Parameter> {
  const inPath = new Set(pathParameters(path))
  const inQuery = method === 'GET' || method === 'DELETE'
  const parameters = new Map<string, Parameter>()
  for (const [member, schema] of Object.entries(input.shape)) {
    if (inPath.has(member) || !(inQuery || member === 'etag')) continue
    const parameter = { member, ...parameterType(schema) }
    parameters.set(member, parameter)
    const alias = aliases[member]
    if (alias !== undefined) parameters.set(alias, parameter)
  }
  for (const object of rawBody?.query ?? []) {
    for (const [name, schema] of Object.entries(objectShape(input.shape[object]))) {
      const member = `${object}.${name}`
      parameters.set(member, { member, ...parameterType(schema) })
    }
  }
  return parameters
}

function objectShape(schema: z.core.$ZodType | undefined): z.core.$ZodShape {
  if (schema instanceof z.ZodOptional) return objectShape(schema.def.innerType)
  return schema instanceof z.ZodObject ? schema.shape : {}
}

function parameterType(schema: z.core.$ZodType): { kind: ParameterKind; repeated: boolean } {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return parameterType(schema.def.innerType)
  if (schema instanceof z.ZodArray) return { ...parameterType(schema.element), repeated: true }
  if (schema instanceof z.ZodNumber) return { kind: schema.isInt ? 'int' : 'number', repeated: false }
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean', repeated: false }
  return { kind: 'text', repeated: false }
}

function take(
  input: Record<string, unknown>,
  { member, kind, repeated }: Parameter,
  text: string,
  violations: FieldViolation[],
) {
  const value = coerce(kind, text)
  if (value === undefined) {
    violations.push({ field: member, description: `must be ${expected[kind]}` })
  } else if (repeated) {
    const values = (input[member] ?? []) as unknown[]
    input[member] = [...values, value]
  } else if (member in input && input[member] !== value) {
    violations.push({ field: member, description: 'must be given only once' })
  } else {
    input[member] = value
  }
}

const expected: Readonly<Record<ParameterKind, string>> = {
  text: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

function coerce(kind: ParameterKind, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  const pattern = kind === 'int' ? /^-?\d{1,15}$/ : /^-?\d{1,15}(\.\d{1,15})?$/
  return pattern.test(text) ? Number(text) : undefined
}

function unknown(parameters: ReadonlyMap<string, Parameter>): string {
  const names = [...parameters.keys()].filter((name) => !name.startsWith('pagination.'))
  return names.length === 0 ? 'no query parameter is known here' : `unknown query parameter; known: ${names.join(', ')}`
}

function invalid(violations: readonly FieldViolation[]): ServiceError {
  const [first] = violations
  return new ServiceError('invalid_argument', `${first?.field ?? ''}: ${first?.description ?? ''}`, {
    reason: 'FIELD_INVALID',
    violations,
  })
}
