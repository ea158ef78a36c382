import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { serveHere, temporaryFolder, tracegate } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

test('call asks the deployment that its flags name, and opens no data of this machine', async () => {
  await using deployment = await serveHere({ dataDir: join(folder.path, 'deployment') })
  const { rest, token } = deployment.endpoints
  const own = join(folder.path, 'own')
  const flags = ['--base-url', rest, '--api-token', token, '--data', own]
  expect(await tracegate(['call', 'get_workspace_context', ...flags])).toMatchObject({ code: 0, stderr: '' })
  expect(existsSync(own)).toBe(false)
})

test('call uses the database that its flag names', async () => {
  const url = 'postgres://nobody@127.0.0.1:1/none'
  const flags = ['--database-url', url, '--data', join(folder.path, 'sqlite')]
  const { code, stdout } = await tracegate(['call', 'get_workspace_context', ...flags])
  expect(code).toBe(1)
  expect(stdout).toContain(`error: the database ${url} cannot be used`)
})
