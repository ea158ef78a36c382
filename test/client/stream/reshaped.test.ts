import { afterAll, beforeAll, expect, test } from 'vitest'
import { Capabilities } from '../../../src/client/capabilities/capabilities.ts'
import { createApi } from '../../../src/client/client.ts'
import { Untrusted } from '../../../src/contract/base/text.ts'
import { origin, startApp, type App } from '../../app.ts'
import { runElsewhere, type RunElsewhere } from '../../service/agents/run-elsewhere.ts'
import { baseAddress, reshaped } from '../../upstream/reshaped.ts'
import { allAtOnce, lossless } from '../../upstream/reshapings/lossless.ts'

let app: App
let run: RunElsewhere
beforeAll(async () => {
  app = await startApp()
  run = await runElsewhere(app)
  await run.log(4)
  await run.succeed()
  await run.forget(2)
})
afterAll(() => app.close())

/** The items that a reader gets from a deployment with these differences. */
async function read(names: readonly string[]) {
  const send = reshaped(app.service.direct, ...names)
  const baseUrl = baseAddress(origin, names)
  const api = createApi({ send, baseUrl, token: app.token, capabilities: new Capabilities(), retries: 0 })
  const seen: unknown[] = []
  for await (const { event, resync } of api.streamAgentRunEvents({ run_id: run.id, after_sequence: 1 })) {
    if (resync !== undefined) seen.push([resync.first_sequence, resync.agent_run?.state])
    else seen.push([event.sequence, event.type, event.created_at, Untrusted.open(event.message ?? new Untrusted(''))])
  }
  return seen
}

const alone = Object.keys(lossless).map((name) => [name, [name]] as const)

test.each([...alone, ['all at once', allAtOnce] as const])(
  'a reader sees the same resync and events where a deployment differs by %s',
  async (_, names) => {
    const seen = await read(names)
    expect(seen).toHaveLength(4)
    expect(seen).toEqual(await read([]))
  },
)
