import { expect, test } from 'vitest'
import { startApp } from '../../../app.ts'
import type { Failure } from '../../people.ts'

const paths = {
  'a test report': (environment: string) => [
    'tests:ingest',
    { draft: { content: 'ok 1 - a\n1..1\n' }, run: { environment } },
  ],
  'a source map upload': (environment: string) => ['sourcemaps', { file_name: 'app.js.map', environment }],
  'a new environment': (name: string) => ['environments', { name }],
} satisfies Record<string, (name: string) => [string, object]>

test.each(Object.entries(paths))(
  'the name of an environment in %s has no slash and no control character',
  async (_, request) => {
    await using app = await startApp()
    const send = (name: string) => {
      const [path, body] = request(name)
      return app.request<Failure>('POST', `/v1/products/${app.productId}/${path}`, body)
    }
    for (const name of ['feature/cart', 'c\u0007i', 'x'.repeat(65)]) expect((await send(name)).status).toBe(400)
    expect(JSON.stringify((await send('feature/cart')).body)).toContain('write \\"-\\"')
    expect((await send('feature-cart')).status).toBe(200)
  },
)
