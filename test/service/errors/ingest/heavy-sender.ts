import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { reportWorker, sourceMapWorker } from '../../../../src/cli/support/workers.ts'
import { replyText } from '../../../../src/contract/base/wire.ts'
import { openService } from '../../../../src/service/index.ts'
import { heavyEvents } from './heavy-events.ts'

// A process, whose memory can be limited: it opens a service, and prints the answer to one request with heavy events.
const dataDir = mkdtempSync(join(tmpdir(), 'tracegate-heavy-'))
const service = await openService({
  dataDir,
  secret: 'a secret of the tests',
  version: '0',
  sourceMapWorker,
  reportWorker,
})
const { username: key } = new URL(service.dsn('http://127.0.0.1'))
const { status, body } = await service.direct({
  method: 'POST',
  url: `/api/${service.productId}/envelope/?sentry_key=${key}`,
  headers: { 'content-encoding': 'gzip' },
  body: gzipSync(['{}', ...heavyEvents.flatMap((event) => ['{"type":"event"}', event])].join('\n')),
})
await service.close()
rmSync(dataDir, { recursive: true })
process.stdout.write(JSON.stringify({ status, body: await replyText({ status, headers: {}, body }) }))
