import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { isObject } from '../../lib/objects.ts'
import { TASKS_EXTENSION } from './task.ts'

/** Whether the client declares the tasks extension in this very request: what it declared before does not count. */
export function declaresTasks({ envelope }: ServerContext['mcpReq']): boolean {
  return isDeclared(envelope)
}

/** The same for the `_meta` of a request. */
export function isDeclared(meta: unknown): boolean {
  const capabilities = isObject(meta) ? meta[CLIENT_CAPABILITIES_META_KEY] : undefined
  const extensions = isObject(capabilities) ? capabilities['extensions'] : undefined
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION])
}

/** The error (-32021) for a client that has to declare the tasks extension. */
export function tasksNotDeclared(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } })
}
