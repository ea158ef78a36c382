import type { Context } from '../../src/mcp/define/define.ts'
import { ifOffered } from '../../src/mcp/resolve/offered.ts'

/**
 * Whether the service says that it is ours. Only then does `validate_only` keep it from writing: another deployment might
 * ignore the member (contract §0.6).
 */
export async function isTracegate({ api, signal }: Pick<Context, 'api' | 'signal'>): Promise<boolean> {
  const me = await ifOffered(api.getMe({}, { signal }))
  return me?.server?.name === 'tracegate'
}
