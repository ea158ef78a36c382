import type { WireReply } from '../../contract/base/wire.ts'
import { isTokenRefused, ServiceError } from '../../errors.ts'
import { pagePath, queryMembers } from '../support/address.ts'
import type { FormRequest, Page, PageRequest } from '../support/page.ts'
import { pageReply, redirectReply, withCookie } from '../support/reply.ts'
import { typedToken } from '../support/token-field.ts'
import type { AreaName, Place } from './frame.ts'
import { openReading, type Reader, type Reading } from './reading.ts'
import { refusedNote } from './refused.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { productsPage, signInPage } from './views.ts'

export interface SignInOptions {
  /** Reads with a person's token. */
  readerFor: (token: string) => Promise<Reader>
  /** The only product that is shown. */
  product?: string | undefined
  /** How long all reads of one page may take together; default 30 s. */
  timeoutMs?: number
  /** A clock for sessions that only moves forward, in milliseconds. */
  now?: () => number
}

/** What is shown of one product. */
export interface Area {
  name: AreaName
  /** Rejects with a `ServiceError` where what was asked for means nothing. */
  show(request: PageRequest, place: Place, reading: Reading): Promise<WireReply>
}

/**
 * Makes the pages of all areas, which share their sessions: a person types the token once and then reads all of them. A
 * session only reads: decisions take the token itself (decision 111).
 */
export function createAreas(options: SignInOptions): (area: Area) => Page {
  const sessions = createSessions(options.now)
  return (area) => ({
    name: area.name,
    get: (request) => read(request, area, { sessions, ...options }),
    post: (request) => signInOrOut(request, area, { sessions, ...options }),
  })
}

type Facts = SignInOptions & { sessions: Sessions }

/** What was asked for; a name that means nothing is explained above the products to choose from. */
async function read(request: PageRequest, area: Area, { sessions, readerFor, ...options }: Facts): Promise<WireReply> {
  const { url, signal } = request
  const token = sessions.token(request.cookies)
  if (token === undefined) return pageReply(200, signInPage(area.name, url.search))
  const reading = openReading(await readerFor(token), options, signal)
  try {
    return await show(request, area, reading)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { status } = error
    const reason = refusedNote('Not shown', error)
    if (isTokenRefused(error)) {
      const signIn = pageReply(status, signInPage(area.name, url.search, reason))
      return withCookie(signIn, sessions.close(browser(request)))
    }
    const products = await reading.resolve.products().catch(leaveOut)
    return pageReply(status, productsPage(area.name, products, reason))
  }
}

function leaveOut(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}

async function show(request: PageRequest, area: Area, reading: Reading): Promise<WireReply> {
  const { product: named, ...scope } = queryMembers(request.url.searchParams, ['product', 'environment', 'release'])
  const products = await reading.resolve.products()
  const [only] = products
  if (named === undefined && (only === undefined || products.length > 1)) {
    return pageReply(200, productsPage(area.name, products))
  }
  const product = await reading.resolve.product(named ?? only?.id)
  const query = { product: product.id, ...scope }
  return area.show(request, { area: area.name, product, query, hasChoice: products.length > 1 }, reading)
}

async function signInOrOut(
  request: FormRequest,
  { name }: Area,
  { sessions, readerFor, ...options }: Facts,
): Promise<WireReply> {
  const { form, signal } = request
  if (form.get('do') === 'sign-out') return withCookie(redirectReply(`/${name}`), sessions.close(browser(request)))
  const next = form.get('next') ?? ''
  const token = typedToken(form)
  try {
    if (token === undefined) throw new ServiceError('unauthenticated', 'what was typed is not an API token')
    await openReading(await readerFor(token), options, signal).resolve.products()
    // A query of this page, and never another address.
    const path = pagePath(`/${name}`, Object.fromEntries(new URLSearchParams(next)))
    return withCookie(redirectReply(path), sessions.open(token, browser(request)))
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return pageReply(error.status, signInPage(name, next, refusedNote('Not signed in', error)))
  }
}

function browser({ url, cookies }: PageRequest): { cookies: string | undefined; isSecure: boolean } {
  return { cookies, isSecure: url.protocol === 'https:' }
}
