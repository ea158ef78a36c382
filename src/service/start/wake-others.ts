import type { Messages } from '../sql/database.ts'
import type { RunSignals } from '../agents/events/signals.ts'
import type { Runner } from '../agents/runs/runner.ts'

/** What a process tells the others of its runs, so that they need not wait for their next look. */
export interface RunMessages {
  /** After a commit that changed a run: whoever watches it reads it again. */
  changed(this: void, runId: string): void
  /** After a run was queued or cancelled: all look for what they have to do. */
  look(this: void): void
  /** Follows what other processes tell, from now on. */
  follow(this: void, here: { signals: RunSignals; runner: Runner }): void
}

const CHANGED = 'changed:'
const LOOK = 'look'

/** Without `messages` nothing is told: every process looks by itself, at most two seconds later. */
export function createRunMessages(messages: Messages | undefined): RunMessages {
  return {
    changed: (runId) => messages?.send(CHANGED + runId),
    look: () => messages?.send(LOOK),
    follow({ signals, runner }) {
      messages?.listen((text) => {
        if (text === LOOK) runner.queued()
        else if (text.startsWith(CHANGED)) signals.changed(text.slice(CHANGED.length))
      })
    },
  }
}
