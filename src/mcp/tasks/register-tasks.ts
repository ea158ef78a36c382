import { ProtocolError, ProtocolErrorCode, type McpServer, type ServerContext } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { declaresTasks, tasksNotDeclared } from './declared.ts'
import { TASKS_EXTENSION, type Tasks } from './task.ts'

const Params = z.looseObject({ taskId: z.string() })
type Request = ServerContext['mcpReq']

/** Declares the tasks extension, and answers `tasks/get`, `tasks/update` and `tasks/cancel` of clients that declare it. */
export function registerTasks(server: McpServer, tasks: Tasks): void {
  server.server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } })
  answer(server, 'tasks/get', (taskId, { signal }) => tasks.get(taskId, signal))
  answer(server, 'tasks/update', async (taskId, { inputResponses = {}, signal }) =>
    acknowledged(await tasks.update(taskId, inputResponses, signal)),
  )
  answer(server, 'tasks/cancel', async (taskId, { signal }) => acknowledged(await tasks.cancel(taskId, signal)))
}

/** An empty result for a task that exists. */
function acknowledged(exists: boolean): object | undefined {
  return exists ? {} : undefined
}

/** Sets the handler of a method. `run` resolves to undefined for a task that does not exist: the error -32602. */
function answer(
  { server }: McpServer,
  method: string,
  run: (taskId: string, request: Request) => Promise<object | undefined>,
): void {
  server.setRequestHandler(method, { params: Params }, async ({ taskId }, { mcpReq }) => {
    if (!declaresTasks(mcpReq)) throw tasksNotDeclared()
    const result = await run(taskId, mcpReq)
    if (result !== undefined) return { ...result }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'this task does not exist, or your token may not read it')
  })
}
