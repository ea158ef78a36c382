import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { publishedCommand } from '../cli/published.ts'
import { temporaryFolder } from '../cli/run.ts'
import { bareEnvironment, eventually, type Endpoints } from '../serve.ts'
import { minify, zipOf, type Confirmed, type Created } from '../service/errors/sourcemaps/uploads/rig.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

test('the published package reads source maps in its own worker', async () => {
  const dataDir = join(folder.path, 'data')
  const args = [await publishedCommand(), 'serve', '--port', '0', '--data', dataDir]
  const server = spawn(process.execPath, args, { env: bareEnvironment(), stdio: 'ignore' })
  const exited = once(server, 'exit')
  try {
    const file = join(dataDir, 'endpoints.json')
    const endpoints = await eventually('endpoints.json', async () =>
      existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Endpoints) : undefined,
    )
    const post = async <T>(path: string, body: object): Promise<T> => {
      const headers = { authorization: `Bearer ${endpoints.token}`, 'content-type': 'application/json' }
      const reply = await fetch(endpoints.rest + path, { method: 'POST', headers, body: JSON.stringify(body) })
      // The members that are read are what the assertions prove.
      return (await reply.json()) as T
    }
    const { code, map } = await minify()
    const created = await post<Created>(`/v1/products/${endpoints.product_id}/sourcemaps`, {
      file_name: 'dist.zip',
      release: 'shop@1.4.1',
    })
    const sent = await fetch(created.upload_url, {
      method: 'PUT',
      headers: created.upload_headers,
      body: new Uint8Array(await zipOf({ 'app.js': code, 'app.js.map': map })),
    })
    expect(sent.status).toBe(200)
    const { sourcemap } = await post<Confirmed>(`/v1/sourcemaps/${created.sourcemap.id}:confirm`, {})
    expect(sourcemap).toMatchObject({ state: 'SOURCEMAP_STATE_READY', files: [{ valid: true }, { valid: true }] })
  } finally {
    server.kill()
    await exited
  }
})
