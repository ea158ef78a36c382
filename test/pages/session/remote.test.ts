import { expect, test } from 'vitest'
import { servePublished } from '../../cli/published.ts'
import { postForm } from '../rig.ts'

test('in front of a deployment the pages show what the token of the reader sees there', async () => {
  await using deployment = await servePublished({ args: ['--sample'] })
  const { rest, token } = deployment.endpoints
  await using front = await servePublished({ env: { TRACEGATE_BASE_URL: rest } })
  const { origin } = new URL(front.endpoints.mcp)
  expect(front.endpoints.token).toBe('')
  const asked = await fetch(origin, { headers: { accept: 'text/html' } })
  expect([new URL(asked.url).pathname, await asked.text()]).toEqual(['/triage', expect.stringContaining('API token')])
  const refused = await postForm(origin, { api_token_once: 'tg_wrong' }, { area: 'triage' })
  expect(refused.status).toBe(401)
  const reply = await postForm(origin, { api_token_once: token }, { area: 'triage' })
  const cookie = reply.headers.get('set-cookie')?.split(';')[0] ?? ''
  const read = async (path: string) => (await fetch(origin + path, { headers: { cookie } })).text()
  const board = await read('/triage?issue=SHOP-25')
  expect(board).toContain('>SHOP-25<')
  expect(board).toContain('140 events in 30 days')
  expect(await read('/coverage')).toContain('11 of 26 requirements verified')
  expect(await read('/gate?filter=failing')).toContain('REQ-18')
})
