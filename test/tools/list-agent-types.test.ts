import { expect, test } from 'vitest'
import { connect } from '../mcp/clients.ts'
import { openShop, shown } from './shop.ts'

test('list_agent_types shows what each kind of agent does', async () => {
  await using shop = await openShop()
  await using agent = await connect(shop.api, { options: { toolsets: ['agents'] } })
  expect(shown(await agent.call('list_agent_types'))).toMatchInlineSnapshot(`
    {
      "structured": {
        "answer": "1 agent types.",
        "data": {
          "rows": [
            {
              "description": "Finds cases that passed and failed on the same commit.",
              "id": "flaky_scan",
              "title": "Find flaky tests",
            },
          ],
        },
      },
      "text": "1 agent types.
    rows (id | title | description):
    flaky_scan | Find flaky tests | Finds cases that passed and failed on the same commit.",
    }
  `)
})
