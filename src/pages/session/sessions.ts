import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'

/** How long a person stays signed in after typing the token. */
export const SESSION_MS = 3_600_000
const MOST_SESSIONS = 200
const NAME = 'tracegate_session'

/** Who is signed in to read the pages. Tokens are in the memory of this process only, by random ids that cookies carry. */
export interface Sessions {
  /** The value of `Set-Cookie` for a token that was checked; it takes the place of the session that the cookies name. */
  open(token: string, browser: { cookies: string | undefined; isSecure: boolean }): string
  /** The token of the session that the cookies name; undefined if there is none. */
  token(cookies: string | undefined): string | undefined
  /** Forgets the session, and returns the `Set-Cookie` that does the same in the browser. */
  close(browser: { cookies: string | undefined; isSecure: boolean }): string
}

/** `now` returns milliseconds of a clock that only moves forward. */
export function createSessions(now: () => number = () => performance.now()): Sessions {
  const tokens = new LRUCache<string, string>({
    max: MOST_SESSIONS,
    ttl: SESSION_MS,
    ttlResolution: 0,
    perf: { now },
  })
  const forget = (cookies: string | undefined) => {
    const id = sessionId(cookies)
    if (id !== undefined) tokens.delete(id)
  }
  return {
    open(token, { cookies, isSecure }) {
      forget(cookies)
      const id = randomBytes(32).toString('base64url')
      tokens.set(id, token)
      return cookie(id, SESSION_MS / 1000, isSecure)
    },
    token: (cookies) => {
      const id = sessionId(cookies)
      return id === undefined ? undefined : tokens.get(id)
    },
    close({ cookies, isSecure }) {
      forget(cookies)
      return cookie('', 0, isSecure)
    },
  }
}

/** Never sent by another site, and not readable by a script. */
function cookie(id: string, seconds: number, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${String(seconds)}; HttpOnly; SameSite=Strict`
  return `${NAME}=${id}; ${attributes}${isSecure ? '; Secure' : ''}`
}

function sessionId(cookies = ''): string | undefined {
  const pairs = cookies.split(';').map((pair) => pair.trim().split('='))
  return pairs.find(([name]) => name === NAME)?.[1]
}
