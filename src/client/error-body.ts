import { failures } from '../errors.ts'
import { isObject } from '../lib/objects.ts'

/** What an error reply says in a validated form; its sentences are left out. */
export interface ErrorBody {
  /** False for plain text, HTML and unrelated JSON: a proxy or another server may have replied. */
  fromService: boolean
  /** Whether it is a page for browsers, which the service never sends. */
  isPage: boolean
  grpc?: number
  /** The HTTP status, where a gateway repeats it in the body (`http_code`). */
  status?: number
  reason?: string
  metadata: Record<string, string>
  fields: string[]
}

/** `NOT_FOUND` and its number, from the failures table. */
const grpcNames: ReadonlyMap<string, number> = new Map(
  Object.entries(failures).map(([name, { grpc }]) => [name.toUpperCase(), grpc]),
)

/** Reads `{code,message,details}` and `{error:{…}}`; any other body yields no facts. */
export function parseErrorBody(text: string): ErrorBody {
  const nothing: ErrorBody = { fromService: false, isPage: isPage(text), metadata: {}, fields: [] }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return nothing
  }
  if (!isObject(json)) return nothing
  const error = isObject(json['error']) ? json['error'] : json
  const grpc = [error['code'], error['status']].map(grpcCode).find((code) => code !== undefined)
  const details = (Array.isArray(error['details']) ? (error['details'] as unknown[]) : []).filter(isObject)
  const info = details.find((detail) => 'reason' in detail)
  const reason = [info?.['reason'], error['reason']].find(isReason)
  return {
    fromService: grpc !== undefined || reason !== undefined,
    isPage: false,
    ...(grpc === undefined ? {} : { grpc }),
    ...(typeof error['http_code'] === 'number' && { status: error['http_code'] }),
    ...(reason === undefined ? {} : { reason }),
    metadata: plainMetadata(info?.['metadata']),
    fields: details.flatMap(violatedFields),
  }
}

/** Whether the text begins like a page for browsers. */
export function isPage(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|h1)\b/i.test(text)
}

function grpcCode(value: unknown): number | undefined {
  if (typeof value === 'string') return grpcNames.get(value.toUpperCase())
  return typeof value === 'number' && value > 0 && value <= 16 ? value : undefined
}

function isReason(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(value)
}

/** Ids and lists of allowed values: words without spaces, or several joined by commas. Anything else is dropped. */
function plainMetadata(value: unknown): Record<string, string> {
  if (!isObject(value)) return {}
  const plain = Object.entries(value).filter(
    (entry): entry is [string, string] =>
      /^\w{1,40}$/.test(entry[0]) &&
      typeof entry[1] === 'string' &&
      entry[1].length <= 300 &&
      /^[\w.:@-]{1,128}(?:, ?[\w.:@-]{1,128})*$/.test(entry[1]),
  )
  return Object.fromEntries(plain.slice(0, 10))
}

function violatedFields(detail: Record<string, unknown>): string[] {
  const violations = detail['field_violations'] ?? detail['fieldViolations']
  if (!Array.isArray(violations)) return []
  const fields = violations.filter(isObject).map((violation) => violation['field'])
  return fields.filter((field) => typeof field === 'string' && /^[\w.[\]]{1,100}$/.test(field)).slice(0, 20) as string[]
}
