/** A call that an agent may make next: built from ids, never from event text. */
export interface NextAction {
  tool: string
  why: string
  args: Readonly<Record<string, unknown>>
}

/** `nextCall('get_test', { test: 'TC-7' }, 'its links')` */
export function nextCall(tool: string, args: NextAction['args'], why: string): NextAction {
  return { tool, why, args }
}

/** The action for a server that is pinned to a product, where no tool has that parameter. */
export function withoutProduct(action: NextAction): NextAction {
  const { product: _, ...args } = action.args
  return { ...action, args }
}

/** `find_error_issues {"status":"any"}`: the call as an agent reads it. */
export function callText({ tool, args }: Pick<NextAction, 'tool' | 'args'>): string {
  return `${tool} ${JSON.stringify(args)}`
}
