import type { CallToolResult } from '@modelcontextprotocol/server'
import type { TaskFacts } from '../call/started-task.ts'

/** The name under which clients and servers declare the tasks extension (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** A task as clients read it: `DetailedTask` of the extension. */
export type Task = TaskFacts &
  (
    | { status: 'working' }
    | { status: 'input_required'; inputRequests: Readonly<Record<string, object>> }
    | { status: 'completed'; result: CallToolResult }
    | { status: 'failed'; error: { code: number; message: string } }
    | { status: 'cancelled' }
  )

/** The tasks that one caller may read; those of others do not exist for it. */
export interface Tasks {
  /** Resolves to undefined for a task that does not exist; rejects with a `ProtocolError` when it cannot be read. */
  get(this: void, taskId: string, signal: AbortSignal): Promise<Task | undefined>
  /** Takes answers to what the task asks, by their keys; resolves to false for a task that does not exist. */
  update(this: void, taskId: string, answers: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<boolean>
  /** Requests its cancellation; a task that has ended stays unchanged. Resolves to false for a task that does not exist. */
  cancel(this: void, taskId: string, signal: AbortSignal): Promise<boolean>
}
