import type { Result } from '@modelcontextprotocol/server'
import type { TaskHead } from '../call/started-task.ts'
import type { Task } from './task.ts'

/** The result of a call that continues as a task (mcp §10.1). */
export function taskResult(task: Task | TaskHead): Result {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task
  return { resultType: 'task', taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
}
