import { ServiceError } from '../../errors.ts'
import { clean, cutTo, inOneLine } from '../../lib/outside-text/clean.ts'
import type { Context, TaskReading, Tool, ToolTask } from '../define/define.ts'
import type { Answer } from '../result/answer.ts'

const MESSAGE_CHARACTERS = 300

/** The members that every task has (mcp §10.1). */
export interface TaskFacts {
  taskId: string
  /** Its state in words, for people and models; never text of outsiders. */
  statusMessage?: string | undefined
  /** ISO 8601. */
  createdAt: string
  /** ISO 8601. */
  lastUpdatedAt: string
  /** How long after its creation the task can be read at least, in milliseconds. */
  ttlMs: number
  /** How often a client should ask, in milliseconds. */
  pollIntervalMs: number
}

/** A task of a tool, without its result. */
export type TaskHead = TaskFacts & { status: 'working' | 'completed' | 'cancelled' }

/**
 * The task of a call with this answer, after it has been read successfully. Resolves to undefined when the call started
 * nothing, or when the task cannot be read now: the client then gets the ordinary result.
 */
export async function startedTask(
  tool: Tool,
  answer: Answer<Record<string, unknown>>,
  context: Context,
): Promise<TaskHead | undefined> {
  const { task } = tool
  const id = task?.started(answer)
  if (task === undefined || id === undefined) return undefined
  try {
    return taskHead(task, id, await task.read(id, context))
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/** The task without its result. */
export function taskHead(task: ToolTask, taskId: string, reading: TaskReading): TaskHead {
  const { status, message, createdAt, updatedAt } = reading
  return {
    taskId,
    status,
    ...(message !== undefined && { statusMessage: cutTo(inOneLine(clean(message)), MESSAGE_CHARACTERS) }),
    createdAt,
    lastUpdatedAt: updatedAt,
    ttlMs: task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
  }
}
