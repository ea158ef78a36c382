import { ingestAddresses } from '../../service/workspace/product-view.ts'
import { addDsnKey, keyLabel, listDsnKeys, revokeDsnKey } from '../../service/workspace/dsn-keys.ts'
import { claimOrigin } from '../support/data-port.ts'
import { plain } from '../support/finding.ts'
import { adminProduct, type Subcommand } from './open.ts'

/** `admin key add --server`: prints the DSN once, alone on stdout; what it is for goes to stderr. */
export const addOneKey: Subcommand = {
  takes: '[--server] [--name N] [--product P] [--port N]',
  operands: [0, 0],
  async run({ db, config, call, io }) {
    const product = await adminProduct({ config, db })
    const origin = await claimOrigin(config, io)
    const kind = config.serverKey ? 'server' : 'public'
    const key = await db.write((rows) => addDsnKey(rows, call, product.id, { kind, name: config.name ?? '' }))
    io.stdout.write(`${ingestAddresses(origin, product.id, key).dsn}\n`)
    const use = config.serverKey
      ? 'Set it as SENTRY_DSN of a backend, and never put it into a web page or an app. It is shown only now.'
      : 'It may be in web pages and apps; what comes with it blocks no release.'
    io.stderr.write(`tracegate: a ${kind} key of ${plain(product.name)}: ${keyLabel(key)}. ${use}\n`)
  },
}

/** `admin key list`: never the whole server keys. */
export const listAllKeys: Subcommand = {
  takes: '[--product P]',
  operands: [0, 0],
  async run({ db, config, io }) {
    const product = await adminProduct({ config, db })
    for (const { public_key: key, kind, name, revoked_at } of await listDsnKeys(db.read, product.id)) {
      const shown = kind === 'server' ? keyLabel(key) : key
      io.stdout.write(`${[shown, kind, plain(name), revoked_at === null ? 'valid' : 'revoked'].join(' | ')}\n`)
    }
  },
}

/** `admin key revoke KEY`: the whole key, or its beginning as `admin key list` prints it. */
export const revokeOneKey: Subcommand = {
  takes: 'KEY [--product P]',
  operands: [1, 1],
  async run({ db, config, operands: [given = ''], call, io }) {
    const product = await adminProduct({ config, db })
    const { public_key: key, kind } = await db.write((rows) => revokeDsnKey(rows, call, product.id, given))
    io.stdout.write(`revoked the ${kind} key ${keyLabel(key)}\n`)
  },
}
