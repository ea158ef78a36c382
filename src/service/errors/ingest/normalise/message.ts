import type { NormalEvent } from '../../event/event.ts'
import { isObject, type JsonObject } from '../../../../lib/objects.ts'
import { boundedList } from './bounded.ts'
import { readScalar } from './read.ts'
import { cut } from '../../../../lib/text.ts'
import type { Signals } from './signals.ts'

type Message = Pick<NormalEvent, 'message' | 'message_template' | 'message_params'>

const MESSAGE_LENGTH = 8_192
const PARAMS_SIZE = 16 * 1024

/**
 * The message from `logentry` and `message`, each a string or `{ message, formatted, params }`. The template is kept as
 * well, because grouping prefers the text without its values.
 */
export function readMessage(payload: JsonObject, signals: Signals): Message {
  const { logentry, message } = payload
  const entry = isObject(logentry) ? logentry : isObject(message) ? message : undefined
  const plain = isObject(message) ? '' : readScalar(message, 'message', MESSAGE_LENGTH, signals)
  const logged = isObject(logentry) ? '' : readScalar(logentry, 'message', MESSAGE_LENGTH, signals)
  if (!entry) return { message: plain || logged, message_template: '', message_params: [] }
  const template = readScalar(entry.message, 'message_template', MESSAGE_LENGTH, signals)
  const params = readParams(entry.params, signals)
  const formatted = readScalar(entry.formatted, 'message', MESSAGE_LENGTH, signals) || plain || logged
  return {
    message: formatted || readScalar(format(template, params), 'message', MESSAGE_LENGTH, signals),
    message_template: template,
    message_params: params,
  }
}

function readParams(params: unknown, signals: Signals): unknown[] {
  if (Array.isArray(params)) return boundedList(params, 'message_params', PARAMS_SIZE, signals)
  // Named parameters are sent as one object.
  if (isObject(params)) return boundedList([params], 'message_params', PARAMS_SIZE, signals)
  if (params !== undefined && params !== null) signals.note('message_params', 'type', 0, 1)
  return []
}

/** The template with `%s`-like, `%(name)s` and `{}`-like places filled; a place without a parameter stays as it is. */
function format(template: string, params: unknown[]): string {
  if (params.length === 0) return template
  const named = params.length === 1 && isObject(params[0]) ? params[0] : undefined
  let next = 0
  const take = (name: string | undefined, place: string): string => {
    const key = name === undefined || name === '' ? undefined : name
    if (key !== undefined && named && Object.hasOwn(named, key)) return show(named[key])
    const index = key === undefined ? next++ : Number(key)
    return index in params ? show(params[index]) : place
  }
  if (/%(?:\(\w+\)|[-+#\d.]*[sdifruxoegc])/i.test(template))
    return template.replace(/%(%|(?:\((\w+)\))?[-+#\d.]*[sdifruxoegc])/gi, (place, rest: string, name?: string) =>
      rest === '%' ? '%' : take(name, place),
    )
  return template.replace(/\{(\w*)\}/g, (place, name: string) => take(name, place))
}

function show(value: unknown): string {
  // A template may name one parameter a thousand times.
  return cut(typeof value === 'string' ? value : JSON.stringify(value), 1_024)
}
