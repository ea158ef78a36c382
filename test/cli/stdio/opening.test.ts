import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { prepareLists } from '../../../src/cli/lists/prepare-lists.ts'
import { toolsets } from '../../../src/config-variables.ts'
import { answerOpening } from '../../../src/mcp/opening/answer-opening.ts'
import { createAnswers } from '../../../src/mcp/opening/answers.ts'
import { requestEnvelope } from '../../../src/mcp/opening/read.ts'
import { talk } from '../run.ts'

const clientInfo = { name: 'test', version: '1.0.0' }
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const initialize = (id: unknown, given: object = {}) =>
  line({ id, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo, ...given } })
const initialized = line({ method: 'notifications/initialized' })
const legacy = (id: unknown, method: string, params?: object) => line({ id, method, params })
const modern = (id: unknown, method: string, meta: object = {}) =>
  line({ id, method, params: { _meta: { ...requestEnvelope(clientInfo), ...meta } } })

/** All that clients ask first. */
const openings = {
  'of 2025': [initialize(1), initialized, ...lists.map((method, index) => legacy(2 + index, method))],
  'of 2026-07-28': ['server/discover', ...lists].map((method, index) => modern(1 + index, method)),
}

describe.each(Object.entries(openings))('a client %s', (_, opening) => {
  test('gets all that it asks first before the server is loaded', async () => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()]
    const answer = createAnswers(await prepareLists(), { toolsets: ['default'], readOnly: false, local: true })
    const ended = new Promise<void>((resolve) => stdin.once('end', resolve))
    const handedOver = answerOpening({ stdin, stdout, answer, ended })
    stdin.end(opening.map((message) => `${message}\n`).join(''))
    expect(await handedOver).toBeUndefined()
    stdout.end()
    expect((await text(stdout)).match(/"id":\d/g)).toHaveLength(5)
  })

  const someToolsets = [...toolsets, ...toolsets.slice(1).map((name) => `default,${name}`), 'all']
  const settings = someToolsets.flatMap((TRACEGATE_TOOLSETS) =>
    ['false', 'true'].flatMap((TRACEGATE_READ_ONLY) =>
      ['', 'Shop'].map((TRACEGATE_PRODUCT) => ({ TRACEGATE_TOOLSETS, TRACEGATE_READ_ONLY, TRACEGATE_PRODUCT })),
    ),
  )
  test.each(settings)('gets the very bytes of the server with %o', async (env) => {
    expect(await talk(opening, { env })).toEqual(await talk(opening, { env, isPrepared: false }))
  })
})

const cursor = { cursor: 'x' }
const conversations: Record<string, string[]> = {
  'a call': [initialize(1), initialized, legacy(2, 'tools/list'), legacy(3, 'tools/call', { name: 'no_such_tool' })],
  'a call of 2026-07-28': [
    modern(1, 'tools/list'),
    line({ id: 2, method: 'tools/call', params: { name: 'no_such_tool', _meta: requestEnvelope(clientInfo) } }),
  ],
  'ids that are text': [initialize('a'), initialized, legacy('b', 'tools/list'), legacy('c', 'ping')],
  'an id that is used again': [initialize(1), initialized, legacy(2, 'tools/list'), legacy(2, 'ping')],
  'what is no JSON': [initialize(1), 'no JSON', legacy(2, 'tools/list')],
  'what is no request': [initialize(1), '[]', 'null', '{}', legacy(2, 'prompts/list')],
  'a method that does not exist': [initialize(1), legacy(2, 'tools/lists'), legacy(3, 'tools/list')],
  'lists before anything else': [legacy(1, 'tools/list'), initialize(2)],
  'a second initialize': [initialize(1), initialized, initialize(2), legacy(3, 'tools/list')],
  'a revision that does not exist': [initialize(1, { protocolVersion: '2025-01-01' }), legacy(2, 'tools/list')],
  'every older revision': [initialize(1, { protocolVersion: '2024-11-05' }), initialized, legacy(2, 'resources/list')],
  'capabilities of a host': [
    initialize(1, {
      capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} }, extensions: {} },
      clientInfo: { ...clientInfo, title: 'Test', websiteUrl: 'https://test.example' },
    }),
    legacy(2, 'tools/list', {}),
  ],
  'capabilities of the wrong kind': [initialize(1, { capabilities: { roots: 5 } }), legacy(2, 'tools/list')],
  'a client without a name': [initialize(1, { clientInfo: {} }), legacy(2, 'tools/list')],
  'a cursor that nobody gave': [initialize(1), initialized, legacy(2, 'tools/list', cursor)],
  'a progress token': [initialize(1), legacy(2, 'tools/list', { _meta: { progressToken: 1 } })],
  'another era after initialize': [initialize(1), initialized, modern(2, 'tools/list')],
  'discover, then initialize': [modern(1, 'server/discover'), initialize(2), initialized, legacy(3, 'tools/list')],
  'lists of 2026-07-28, then initialize': [modern(1, 'tools/list'), initialize(2)],
  'requests of 2026-07-28, then one without its envelope': [modern(1, 'tools/list'), legacy(2, 'tools/list')],
  'a revision to come': [
    modern(1, 'tools/list', { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }),
    modern(2, 'tools/list'),
  ],
  'an id that is no integer': [initialize(1.5), legacy(2, 'tools/list')],
  'more than the protocol has': [initialize(1), line({ id: 2, method: 'tools/list', more: 1 })],
  'a broken envelope': [
    modern(1, 'tools/list', { 'io.modelcontextprotocol/clientInfo': 'me' }),
    modern(2, 'tools/list'),
  ],
  'an envelope with more': [modern(1, 'tools/list', { 'example/trace': 'x' }), modern(2, 'server/discover')],
}

describe('a conversation is what it would be with the server alone:', () => {
  test.each(Object.entries(conversations))('%s', async (_, lines) => {
    expect(await talk(lines)).toEqual(await talk(lines, { isPrepared: false }))
  })

  test('an answer that was not asked for, to which the protocol has none', async () => {
    const lines = [initialize(1), line({ id: 9, result: {} })]
    const answered = await talk(lines, { answers: 1 })
    expect(answered).toEqual(await talk(lines, { answers: 1, isPrepared: false }))
  })

  test('messages in pieces, and several in one', async () => {
    const lines = [...openings['of 2025'], legacy(7, 'ping')]
    const answers = await talk(lines)
    expect(answers).toHaveLength(6)
    expect(await talk(lines, { pieceBytes: 7 })).toEqual(answers)
    expect(await talk(openings['of 2025'], { pieceBytes: 100 })).toEqual(
      answers.filter((text) => !text.includes('"id":7')),
    )
  })
})

test.each([
  ['of another kind than JSON-RPC has', '{"jsonrpc":"1.0"}', 'a message that is not valid JSON-RPC'],
  ['of the wrong type', '[7]', 'a message that is not valid JSON-RPC'],
  [
    'that answers nothing',
    line({ id: 9, result: {} }),
    expect.stringMatching(/^Discarded a JSON-RPC response/) as string,
  ],
  [
    'of a revision to come',
    modern(9, 'tools/list', { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' }),
    'Unsupported protocol version: 2030-01-01',
  ],
])('a message %s is one short line in the log', async (_, sent, error) => {
  const logged: string[] = []
  await talk([sent, initialize(1)], { answers: sent.includes('method') ? 2 : 1, log: (entry) => logged.push(entry) })
  expect(logged.map((entry) => JSON.parse(entry) as unknown)).toMatchObject([{ msg: 'MCP message refused', error }])
  expect(logged.join('').length).toBeLessThan(250)
})
