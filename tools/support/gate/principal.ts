import type { Context } from '../../../src/mcp/define/define.ts'
import { ifOffered } from '../../../src/mcp/resolve/offered.ts'

/** The name of the person whose token this is; undefined where the deployment does not say. */
export async function actorName({ api, signal }: Context): Promise<string | undefined> {
  return (await ifOffered(api.getMe({}, { signal })))?.user.display_name
}
