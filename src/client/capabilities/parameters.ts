import type { Endpoint } from '../../contract/base/endpoint.ts'
import { NOT_FROM_SERVICE, ServiceError } from '../../errors.ts'
import type { Capabilities } from './capabilities.ts'
import { filtersByEndpoint } from './filters.ts'

export type Request = Readonly<Record<string, unknown>>
export type Answer = Record<string, unknown>

/** One request to an endpoint, with its retries. */
export type Ask = (request: Request) => Promise<Answer>

/** What changes the form or the order of an answer, and not what it is about. Any other parameter is never left out. */
const options = /^(?:page_size|view|sort|window|period|max_\w+|include_\w+)$/
/**
 * Asks without the parameters that this deployment refuses. When it refuses the request, the parameters that it names are
 * left out; where it names none, first those that only we have, then the page size, then all. Which ones were refused is
 * recorded. A refusal that remains, that names a parameter of the specification as invalid, or whose parameters have all
 * worked before, is about a value and thrown.
 */
export async function askAccepted(
  endpoint: Endpoint,
  request: Request,
  ask: Ask,
  capabilities: Capabilities,
): Promise<Answer> {
  const { path } = endpoint
  const isUseless = (name: string) => ['refused', 'lost'].includes(capabilities.state(path, name) ?? '')
  const kept = without(request, optionalNames(endpoint, request).filter(isUseless))
  try {
    return accepted(await ask(kept), kept)
  } catch (error) {
    return await askAgain(error)
  }

  function accepted(answer: Answer, sent: Request): Answer {
    for (const name of optionalNames(endpoint, sent)) capabilities.note(path, name, 'accepted')
    return answer
  }

  async function askAgain(refusal: unknown): Promise<Answer> {
    let latest = refusal
    let left: string[] = []
    for (const choose of [namedOrOurs, unspecified, all]) {
      if (!isRefusal(latest)) throw latest
      const rest = optionalNames(endpoint, without(kept, left))
      const named = namedParameters(latest, Object.keys(kept))
      if (named.some((name) => !isDoubtful(name)) || isAboutValue(latest, named, endpoint)) throw latest
      const more = choose(rest.filter(isDoubtful), named, endpoint)
      if (more.length === 0) continue
      left = [...left, ...more]
      const sent = without(kept, left)
      try {
        const answer = accepted(await ask(sent), sent)
        for (const name of left) capabilities.note(path, name, 'refused')
        return answer
      } catch (error) {
        latest = error
      }
    }
    throw refusal
  }

  function isDoubtful(name: string): boolean {
    return optionalNames(endpoint, kept).includes(name) && capabilities.state(path, name) === undefined
  }
}

/** Which of the doubtful parameters an attempt leaves out. */
type Choose = (doubtful: readonly string[], named: readonly string[], endpoint: Endpoint) => readonly string[]

/** The page size is the parameter of ours that most deployments have: it goes last. */
const namedOrOurs: Choose = (doubtful, named, endpoint) =>
  named.length > 0 ? named : unspecified(doubtful, named, endpoint).filter((name) => name !== 'page_size')
const unspecified: Choose = (doubtful, _, { specified }) => doubtful.filter((name) => !specified.includes(name))
const all: Choose = (doubtful) => doubtful

/** Whether the deployment refused the request for what it says, with 400 or 422. An HTML page comes from a proxy. */
export function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'invalid_argument' && error.reason !== NOT_FROM_SERVICE
}

/** Whether the service itself refuses the value of a parameter that the specification names: it knows the parameter. */
function isAboutValue({ reason }: ServiceError, named: readonly string[], { specified }: Endpoint): boolean {
  return reason === 'FIELD_INVALID' && named.length > 0 && named.every((name) => specified.includes(name))
}

/** The parameters of a request that may be left out: options, and filters, which can be applied to rows here. */
function optionalNames(endpoint: Endpoint, request: Request): string[] {
  const filters = filtersByEndpoint.get(endpoint) ?? {}
  const names = Object.keys(request).filter((name) => request[name] !== undefined)
  return names.filter((name) => options.test(name) || Object.hasOwn(filters, name))
}

export function without(request: Request, names: readonly string[]): Request {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !names.includes(name)))
}

/** The parameters that an error names, in snake or camel case, in its violations or in its metadata. */
export function namedParameters({ violations, metadata }: ServiceError, sent: readonly string[]): string[] {
  const bare = (name: string) =>
    name
      .replace(/^pagination\./, '')
      .replaceAll('_', '')
      .toLowerCase()
  const named = [...violations.map(({ field }) => field), metadata['field'] ?? ''].map(bare)
  return sent.filter((name) => named.includes(bare(name)))
}
