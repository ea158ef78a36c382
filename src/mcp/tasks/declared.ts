import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import { TASKS_EXTENSION } from './task.ts'

const Declared = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    extensions: z.looseObject({ [TASKS_EXTENSION]: z.looseObject({}) }),
  }),
})

/** Whether the client declares the tasks extension in this very request: what it declared before does not count. */
export function declaresTasks({ envelope }: ServerContext['mcpReq']): boolean {
  return isDeclared(envelope)
}

/** The same for the `_meta` of a request. */
export function isDeclared(meta: unknown): boolean {
  return Declared.safeParse(meta).success
}

/** The error (-32021) for a client that has to declare the tasks extension. */
export function tasksNotDeclared(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } })
}
