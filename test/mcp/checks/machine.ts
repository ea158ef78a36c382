import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createUpload } from '../../../src/client/upload.ts'
import type { Send } from '../../../src/contract/base/wire.ts'
import { createLocalFiles } from '../../../src/mcp/files/local-files.ts'
import type { ServerFacts } from '../../../src/mcp/server.ts'
import { origin } from '../../app.ts'

/** What a server on this machine may do: read below a folder of its own, and send to an address it was given. */
export type Machine = Required<Pick<ServerFacts, 'local' | 'upload' | 'sendEvent'>>

const script = 'function t(a){return a.items.length}\n//# sourceMappingURL=app.js.map\n'
const map = {
  version: 3,
  file: 'app.js',
  sources: ['../src/cart.js'],
  sourcesContent: ['export function total(cart) {\n  return cart.items.length\n}\n'],
  names: ['total', 'cart', 'items', 'length'],
  mappings: 'AAAO,SAASA,EAAMC,GACpB,OAAOA,EAAKC,MAAMC,MACpB',
}

/** A machine with a build of one file in the folder `checkout`; sends into the service, or to nobody. */
export function machineWithBuild(send?: Send): Machine & Disposable {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'tracegate-build-')))
  mkdirSync(join(root, 'checkout'))
  writeFileSync(join(root, 'checkout/app.js'), script)
  writeFileSync(join(root, 'checkout/app.js.map'), JSON.stringify(map))
  return {
    local: createLocalFiles([root]),
    upload: send === undefined ? () => Promise.resolve() : createUpload({ baseUrl: origin, send }),
    // The results of calls are compared: an event would change them.
    sendEvent: () => Promise.resolve(),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** A machine of which nothing may be read. */
export const closedMachine: Machine = {
  local: createLocalFiles([]),
  upload: () => Promise.resolve(),
  sendEvent: () => Promise.resolve(),
}
