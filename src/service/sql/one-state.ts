import { AsyncLocalStorage } from 'node:async_hooks'

/** What a request has asked of the committed state, by what it is the state of. */
interface Asked {
  states: Map<string, Promise<string>>
  hasEnded: boolean
}

const current = new AsyncLocalStorage<Asked>()

/**
 * Does work that answers from one state, such as a request that reads. On a server, where each question is a message, it asks
 * for each state once: what it reads may be newer than its beginning, but never older. What goes on after its end asks each time.
 */
export async function withOneState<T>(work: () => Promise<T>): Promise<T> {
  const asked: Asked = { states: new Map(), hasEnded: false }
  try {
    return await current.run(asked, work)
  } finally {
    asked.hasEnded = true
  }
}

/** The state that this work knows by that name, else what `ask` resolves to. */
export function askedOnce(name: string, ask: () => Promise<string>): Promise<string> {
  const asked = current.getStore()
  if (asked === undefined || asked.hasEnded) return ask()
  const known = asked.states.get(name)
  if (known !== undefined) return known
  const answer = ask()
  asked.states.set(name, answer)
  // It may succeed next time.
  answer.catch(() => asked.states.delete(name))
  return answer
}

/** After a write of the work: what it reads then is of another state. */
export function forgetStates(): void {
  current.getStore()?.states.clear()
}
