import type { WireReply } from '../../../src/contract/base/wire.ts'
import { contract, type EndpointName } from '../../../src/contract/index.ts'
import { jsonReply, type Reshaping, type Reshapings } from '../reshaping.ts'

const html = '<!doctype html><html><body><h1>Not Found</h1></body></html>'

/** What deployments answer for an endpoint that they do not have. */
const answers: Readonly<Record<string, WireReply>> = {
  noRoute: jsonReply(404, { code: 5, message: 'Not Found', details: [] }),
  noPage: { status: 404, headers: { 'content-type': 'text/html' }, body: html },
  notBuilt: jsonReply(501, { code: 12, message: 'Method Not Allowed', details: [] }),
  notAllowed: { status: 405, headers: { 'content-type': 'text/plain' }, body: 'Method Not Allowed' },
}

/** Deployments without one endpoint, for each endpoint of the table and each of these answers. */
export const missing: Reshapings = Object.fromEntries(
  Object.entries(answers).flatMap(([style, reply]) =>
    (Object.keys(contract) as EndpointName[]).map((name) => [`${style}:${name}`, lacking(name, reply)]),
  ),
)

function lacking(missingName: EndpointName, reply: WireReply): Reshaping {
  return {
    sentence: `there is no ${missingName}, which is answered with ${String(reply.status)}`,
    request: (request, { name }) => (name === missingName ? reply : request),
  }
}
