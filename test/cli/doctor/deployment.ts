import type { Send } from '../../../src/contract/base/wire.ts'
import { againstDeployment } from '../deployment.ts'
import type { Ran } from '../run.ts'

/** `tracegate doctor` for a deployment that answers as `send` does, over the network. */
export function doctor(send: Send, token: string, args: readonly string[] = []): Promise<Ran> {
  return againstDeployment(send, ['doctor', ...args], { TRACEGATE_API_TOKEN: token })
}
