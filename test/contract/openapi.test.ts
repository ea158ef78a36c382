import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, test } from 'vitest'
import { openApi } from '../../src/contract/openapi/index.ts'
import { endpoints } from './walk.ts'

const committed = readFileSync(new URL('../../src/contract/openapi.json', import.meta.url), 'utf8')
const document = openApi()
const text = JSON.stringify(document)

interface Parameter {
  name: string
  in: string
  required: boolean
  style?: string
  explode?: boolean
}

interface Operation {
  operationId: string
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: { 'application/json': { schema: { properties?: Record<string, unknown> } } } }
  responses: Record<string, unknown>
  'x-scope'?: string
  'x-retry'?: string
}

const paths = JSON.parse(JSON.stringify(document.paths)) as Record<string, Record<string, Operation>>

test('the committed document matches the contract', () => {
  expect(committed === `${JSON.stringify(document, null, 1)}\n`, 'openapi.json is stale: run `npm run openapi`').toBe(
    true,
  )
})

test('a public validator accepts the document as OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(committed) as Record<string, unknown>)
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('a document with a broken response is refused by the validator', async () => {
  const broken = JSON.parse(committed) as { paths: Record<string, Record<string, { responses: unknown }>> }
  const operation = broken.paths['/v1/auth/me']?.get
  if (operation !== undefined) operation.responses = { 200: { content: {} } }
  expect((await new Validator().validate(broken)).valid).toBe(false)
})

test.each(endpoints)('%s is listed under its path and method with its name, scope and retry', (name, endpoint) => {
  const operation = findOperation(endpoint.path, endpoint.method)
  expect(operation.operationId).toBe(name)
  expect(operation['x-scope']).toBe(endpoint.scope)
  expect(operation['x-retry']).toBe(endpoint.retry)
  expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['200', '401', '403', '429', '5XX']))
})

test.each(endpoints)('%s: path, query and body together form its input', (_, endpoint) => {
  const { parameters = [], requestBody } = findOperation(endpoint.path, endpoint.method)
  // Those with a dot are members of an object that a bare body leaves out.
  const own = parameters.flatMap((parameter) =>
    'name' in parameter && !parameter.name.includes('.') ? parameter.name : [],
  )
  const body = Object.keys(requestBody?.content['application/json'].schema.properties ?? {})
  const shared = ['page_token', 'page_size'].filter((name) => refers(parameters, name))
  expect([...own, ...body, ...shared].toSorted()).toEqual(Object.keys(endpoint.input.shape).toSorted())
})

test('a list offers the paging names of the specification', () => {
  const { parameters = [] } = findOperation('/v1/products/{product_id}/issues', 'GET')
  expect(refers(parameters, 'pagination.page_token')).toBe(true)
  expect(refers(parameters, 'pagination.page_size')).toBe(true)
})

test('a bare report has its run and its options in the query', () => {
  const { parameters = [] } = findOperation('/v1/products/{product_id}/tests:ingest', 'POST')
  const named = parameters.flatMap((parameter) => ('name' in parameter ? parameter : []))
  for (const name of ['run.environment', 'run.release', 'options.create_missing']) {
    expect(named.find((parameter) => parameter.name === name)).toMatchObject({ in: 'query', required: false })
  }
})

test('a parameter that has a default names it', () => {
  const parameter = (path: string, name: string) =>
    findOperation(path, 'GET').parameters?.find((one) => 'name' in one && one.name === name)
  expect(parameter('/v1/products/{product_id}/issues', 'sort')).toMatchObject({ schema: { default: 'last_seen' } })
  expect(parameter('/v1/products/{product_id}/coverage-gaps', 'window')).toMatchObject({ schema: { default: '7d' } })
  expect(parameter('/v1/branches/{branch_id}/link-proposals', 'state')).toMatchObject({
    schema: { default: ['LINK_PROPOSAL_STATE_PENDING'] },
  })
  expect(document.components.parameters.page_size).toMatchObject({ schema: { default: 50 } })
})

test('list parameters are repeated', () => {
  const { parameters = [] } = findOperation('/v1/products/{product_id}/issues', 'GET')
  const levels = parameters.find((parameter) => 'name' in parameter && parameter.name === 'levels')
  expect(levels).toMatchObject({ in: 'query', required: false, style: 'form', explode: true })
})

test('every reference has a component, and every component is referenced', () => {
  const { components } = document
  const used = new Set([...text.matchAll(/"#\/components\/([^"]+)"/g)].map(([, path]) => path ?? ''))
  const there = (['parameters', 'responses', 'schemas'] as const).flatMap((kind) =>
    Object.keys(components[kind]).map((name) => `${kind}/${name}`),
  )
  expect(used).toEqual(new Set(there))
})

test('schemas are slim: no regex next to a format, no bounds of safe integers', () => {
  expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
  expect(text).not.toMatch(/"format":"[^"]+","pattern"/)
  expect(text).not.toMatch(/"pattern":"[^"]+","format"/)
  expect(text).not.toContain('"$schema"')
})

test("outsiders' text is plain text on the wire, marked as untrusted", () => {
  expect(document.components.schemas.Issue?.properties?.title).toEqual({ type: 'string', 'x-text': 'untrusted' })
})

function findOperation(path: string, method: string): Operation {
  const operation = paths[path]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`no ${method} ${path} in the document`)
  return operation
}

function refers(parameters: readonly (Parameter | { $ref: string })[], name: string): boolean {
  return parameters.some((parameter) => '$ref' in parameter && parameter.$ref === `#/components/parameters/${name}`)
}
