import { Client } from '@modelcontextprotocol/client'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { connect, eras } from './clients.ts'

const unreachable = () => Promise.reject(new Error('no call of this test needs the service'))

describe.each(eras)('a client of %s', (era) => {
  test('hears of a tool that does not exist, and of a method that does not', async () => {
    await using agent = await connect(unreachable, { era })
    await expect(agent.call('find_nothing')).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Tool find_nothing not found') as string,
    })
    if (!(agent.client instanceof Client)) return
    const unknown = agent.client.request({ method: 'tools/forget' }, z.object({}))
    await expect(unknown).rejects.toMatchObject({ code: -32601 })
  })

  test.each([
    ['list items', { components: Array.from({ length: 10_001 }, () => 'a') }],
    ['members', { filter: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`a${String(at)}`, at])) }],
    ['parts at any depth', { lists: Array.from({ length: 101 }, () => Array.from({ length: 100 }, () => 0)) }],
  ])('that sends more than 10,000 %s is told before they are read', async (_, args) => {
    await using agent = await connect(unreachable, { era })
    expect(await agent.call('find_error_issues', args)).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^error: the arguments have too many list items and members \(invalid_argument\)\nexpected: at most 10,000 in one call/u,
      ) as string,
    })
  })
})
