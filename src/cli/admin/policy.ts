import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { ConfigError } from '../../config.ts'
import { GatePolicy, GatePolicyInput } from '../../contract/quality-gate/policy.ts'
import { readJson } from '../../service/sql/json.ts'
import { setGatePolicy } from '../../service/workspace/change-product.ts'
import { plain } from '../support/finding.ts'
import { adminProduct, type Subcommand } from './open.ts'

/** A policy in a file: `policy show` prints one, with the version, which setting it raises. */
const PolicyFile = z.strictObject({ ...GatePolicyInput.shape, version: z.int().optional() })

/** `admin policy show`: the gate policy of a product, as `policy set` takes it. */
export const showPolicy: Subcommand = {
  takes: '[--product P]',
  operands: [0, 0],
  async run(admin) {
    const { gate_policy: stored } = await adminProduct(admin)
    admin.io.stdout.write(`${JSON.stringify(readJson(GatePolicy, stored), undefined, 2)}\n`)
  },
}

/** `admin policy set FILE`: members that the file leaves out have their defaults. */
export const setPolicy: Subcommand = {
  takes: 'FILE [--product P]',
  operands: [1, 1],
  async run(admin) {
    const { version: _version, ...policy } = readPolicy(admin.operands[0] ?? '')
    const product = await adminProduct(admin)
    const after = await admin.db.write((rows) => setGatePolicy(rows, admin.call, product.id, policy))
    admin.io.stdout.write(`${plain(product.name)}: the gate policy is version ${String(after.version)}\n`)
  },
}

function readPolicy(file: string): z.output<typeof PolicyFile> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not valid JSON' : 'it cannot be read'
    throw new ConfigError(`${file}: ${why}; tracegate admin policy show prints a policy to start from`)
  }
  const read = PolicyFile.safeParse(json)
  if (read.success) return read.data
  const lines = read.error.issues.map(({ path, message }) => `${file}: ${path.map(String).join('.')}: ${message}`)
  throw new ConfigError([...new Set(lines)].slice(0, 10).join('\n'))
}
