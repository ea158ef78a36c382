import { expect, test } from 'vitest'
import { parseScope } from '../../../src/mcp/http/scope.ts'
import { defaults } from '../clients.ts'

const operator = { ...defaults, toolsets: ['default', 'releases'] }

test.each([
  ['/mcp', {}, { toolsets: ['default', 'releases'], readOnly: false, product: undefined }, false],
  ['/mcp/', {}, { toolsets: ['default', 'releases'], readOnly: false, product: undefined }, false],
  ['/mcp/readonly', {}, { toolsets: ['default', 'releases'], readOnly: true, product: undefined }, true],
  ['/mcp/x/releases', {}, { toolsets: ['releases'], readOnly: false, product: undefined }, true],
  ['/mcp/x/releases,agents', {}, { toolsets: ['releases'], readOnly: false, product: undefined }, true],
  ['/mcp/x/all', {}, { toolsets: ['default', 'releases'], readOnly: false, product: undefined }, true],
  ['/mcp/p/My%20shop', {}, { toolsets: ['default', 'releases'], readOnly: false, product: 'My shop' }, true],
  ['/mcp/readonly/x/default/p/1', {}, { toolsets: ['default'], readOnly: true, product: '1' }, true],
  [
    '/mcp',
    { 'x-mcp-readonly': 'true' },
    { toolsets: ['default', 'releases'], readOnly: true, product: undefined },
    true,
  ],
  ['/mcp', { 'x-mcp-toolsets': 'default' }, { toolsets: ['default'], readOnly: false, product: undefined }, true],
  ['/mcp/x/default', { 'x-mcp-toolsets': 'releases' }, { toolsets: [], readOnly: false, product: undefined }, true],
])('%s with %j shows only what both allow', (path, headers, options, narrowed) => {
  expect(parseScope(path, headers, operator)).toEqual({ options: { ...operator, ...options }, narrowed })
})

test('a request cannot enable what the operator disabled', () => {
  const strict = { ...operator, readOnly: true, product: '1' }
  expect(parseScope('/mcp', { 'x-mcp-readonly': 'false' }, strict)).toMatchObject({ options: { readOnly: true } })
  expect(parseScope('/mcp/p/2', {}, strict)).toEqual({
    status: 404,
    message: 'this server is pinned to another product',
  })
  expect(parseScope('/mcp/p/1', {}, strict)).toMatchObject({ options: { product: '1' } })
})

const others = ['/', '/mcpx', '/mcp/other', '/mcp/x', '/mcp/x/', '/mcp/p', '/mcp//p/1', '/mcp/p/%E0%A4%A', '//mcp']
const contradicting = ['/mcp/p/1/p/2', '/mcp/p/1/p/1', '/mcp/x/default/x/releases', '/mcp/readonly/p/1/readonly']

test.each([...others, ...contradicting])('%s is not an MCP address', (path) => {
  expect(parseScope(path, {}, operator)).toMatchObject({ status: 404 })
})

test.each([
  ['true', true],
  ['TRUE', true],
  ['on', true],
  ['true, true', true],
  ['false,yes', true],
  ['', false],
  ['0', false],
  ['No', false],
  ['false, off', false],
])('X-MCP-Readonly: %s is read-only: %s', (header, readOnly) => {
  expect(parseScope('/mcp', { 'x-mcp-readonly': header }, operator)).toMatchObject({ options: { readOnly } })
  const both = { 'x-mcp-readonly': header.split(',') }
  expect(parseScope('/mcp', both, operator)).toMatchObject({ options: { readOnly } })
})

test.each(['y', 'enabled', '2', 'false, 2', 'readonly'])('X-MCP-Readonly: %s is an error', (header) => {
  expect(parseScope('/mcp', { 'x-mcp-readonly': header }, operator)).toEqual({
    status: 400,
    message: 'X-MCP-Readonly is true or false',
  })
})

test('an unknown toolset is an error that lists the known ones', () => {
  expect(parseScope('/mcp/x/everything', {}, operator)).toMatchObject({
    status: 400,
    message: expect.stringContaining('ingest_dev'),
  })
})
