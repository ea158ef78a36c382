import type { WireReply } from '../../contract/base/wire.ts'
import { matrixFormats } from '../../contract/traceability.ts'
import { ServiceError } from '../../errors.ts'
import { shown } from '../picture/shown.ts'
import { matrixFilters, type MatrixFilterName } from '../picture/matrix-picture.ts'
import { note } from '../support/layout.ts'
import type { Page, PageRequest } from '../support/page.ts'
import { downloadReply, pageReply, redirectReply } from '../support/reply.ts'
import { typedToken } from '../support/token-field.ts'
import { gatePath, scopeQuery } from './address.ts'
import {
  matrixRequest,
  readMatrix,
  readPicture,
  readProducts,
  readScope,
  type GateReader,
  type Reading,
} from './reads.ts'
import { createSessions } from './sessions.ts'
import { gateView, productsPage, signInPage } from './views.ts'

export interface GateOptions {
  /** Reads with a person's token. */
  readerFor: (token: string) => Promise<GateReader>
  /** The only product that is shown. */
  product?: string | undefined
  /** A clock for sessions that only moves forward, in milliseconds. */
  now?: () => number
}

const timeoutMs = 30_000

/**
 * `/gate`: the newest verdict of a scope and its traceability matrix, for people who sign in with their API token. It only
 * reads: a session cannot decide anything, because decisions take the token itself (decision 061).
 */
export function gatePage({ readerFor, product: pinned, now }: GateOptions): Page {
  const sessions = createSessions(now)
  const reading = async (token: string, signal?: AbortSignal): Promise<Reading> => {
    const timeout = AbortSignal.timeout(timeoutMs)
    return {
      reader: await readerFor(token),
      pinned,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    }
  }
  return {
    name: 'gate',
    async get({ url, cookies, signal }) {
      const token = sessions.token(cookies)
      if (token === undefined) return pageReply(200, signInPage(url.search))
      return explained({ url, signal }, await reading(token, signal))
    },
    async post({ url, cookies, signal, form }) {
      const isSecure = url.protocol === 'https:'
      if (form.get('do') === 'sign-out') return redirectReply('/gate', sessions.close(cookies, isSecure))
      const next = form.get('next') ?? ''
      const token = typedToken(form)
      try {
        if (token === undefined) throw new ServiceError('unauthenticated', 'what was typed is not an API token')
        await readProducts(await reading(token, signal))
        return redirectReply(localPath(next), sessions.open(token, isSecure))
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error
        return pageReply(error.status, signInPage(next, note('bad', `Not signed in: ${error.message}.`)))
      }
    },
  }
}

/** A query of this page and never another address. */
function localPath(query: string): string {
  return gatePath(Object.fromEntries(new URLSearchParams(query)))
}

/** What was asked for; a name that means nothing is explained above the products to choose from. */
async function explained(request: PageRequest, reading: Reading): Promise<WireReply> {
  try {
    return await show(request, reading)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { status, code, message } = error
    const reason = note('bad', `Not shown: ${message}.`)
    if (code === 'unauthenticated') return pageReply(status, signInPage(request.url.search, reason))
    return pageReply(status, productsPage(await readProducts(reading).catch(() => []), reason))
  }
}

async function show({ url }: PageRequest, reading: Reading): Promise<WireReply> {
  const query = scopeQuery(url.searchParams)
  if (query.product === undefined) {
    const products = await readProducts(reading)
    const [only, ...others] = products
    if (only === undefined || others.length > 0) return pageReply(200, productsPage(products))
    query.product = only.id
  }
  const scope = await readScope(query, reading)
  const filter = chosenFilter(url.searchParams.get('filter'))
  const format = chosenFormat(url.searchParams.get('export'))
  if (format !== undefined) {
    const { type, text } = await reading.reader.download(matrixRequest(scope, filter), format)
    return downloadReply({ type, text, name: `traceability.${extensions[format]}` })
  }
  const pageToken = url.searchParams.get('page') ?? undefined
  const [verdict, matrix] = await Promise.all([
    readPicture(scope, reading),
    readMatrix(scope, { filter, pageToken }, reading),
  ])
  const title = `Quality gate – ${shown(scope.product.name ?? scope.product.id) ?? ''}, ${scope.words}`
  return pageReply(200, gateView({ query, filter, title, verdict, matrix }))
}

function chosenFilter(given: string | null): MatrixFilterName {
  const names = Object.keys(matrixFilters) as MatrixFilterName[]
  return names.find((name) => name === given) ?? 'all'
}

const extensions = { csv: 'csv', markdown: 'md', html: 'html', needs: 'needs.json' } as const

function chosenFormat(given: string | null): keyof typeof matrixFormats | undefined {
  const names = Object.keys(matrixFormats) as (keyof typeof matrixFormats)[]
  return names.find((name) => name === given)
}
