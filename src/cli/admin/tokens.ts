import { ConfigError } from '../../config.ts'
import { scopes, type Scope } from '../../contract/base/endpoint.ts'
import { hourMs, timestamp } from '../../service/shared/times.ts'
import { addToken, listTokens, revokeToken, usualScopes } from '../../service/workspace/tokens.ts'
import { findUser } from '../../service/workspace/users.ts'
import { plain } from '../support/finding.ts'
import type { Subcommand } from './open.ts'

const tokenWords = { person: 'a personal token', agent: 'an agent token', ci: 'a CI token' } as const

/** `admin token add --user NAME`: prints the token once, alone on stdout; what it is for goes to stderr. */
export const addOneToken: Subcommand = {
  takes: '--user NAME [--agent|--ci] [--scopes LIST] [--expires 30d] [--name N]',
  operands: [0, 0],
  async run({ db, config, call, io }) {
    if (config.user === undefined) throw new ConfigError('--user: name the person behind the token')
    const { user: named, tokenKind: kind, name } = config
    const granted = config.scopes === undefined ? usualScopes[kind] : readScopes(config.scopes)
    const expiresAt = config.expires === undefined ? null : call.now() + durationMs(config.expires)
    const { token, user } = await db.write(async (rows) => {
      const user = await findUser(rows, named)
      const facts = {
        userId: user.id,
        name: name ?? `${user.display_name} (${kind})`,
        kind,
        scopes: granted,
        expiresAt,
      }
      return { token: await addToken(rows, call, facts), user }
    })
    io.stdout.write(`${token}\n`)
    const end = expiresAt === null ? 'it does not expire' : `it expires at ${timestamp(expiresAt)}`
    io.stderr.write(
      `tracegate: ${tokenWords[kind]} for ${plain(user.display_name)}: ${granted.join(', ')}; ${end}. It is shown only now.\n`,
    )
  },
}

/** `admin token list`: never the tokens themselves. */
export const listAllTokens: Subcommand = {
  takes: '',
  operands: [0, 0],
  async run({ db, io, call }) {
    for (const token of await listTokens(db.read)) {
      const { id, display_name, kind, name, revoked_at, expires_at } = token
      const isOver = expires_at !== null && expires_at <= call.now()
      const state = revoked_at !== null ? 'revoked' : isOver ? 'expired' : 'valid'
      const cells = [id, plain(display_name), kind, plain(name), token.scopes.join(','), state]
      io.stdout.write(`${cells.join(' | ')}\n`)
    }
  },
}

/** `admin token revoke ID`: it stops working with the next request. */
export const revokeOneToken: Subcommand = {
  takes: 'ID',
  operands: [1, 1],
  async run({ db, operands: [id = ''], call, io }) {
    await db.write((rows) => revokeToken(rows, call, id))
    io.stdout.write(`revoked ${plain(id)}\n`)
  },
}

function readScopes(list: string): Scope[] {
  const names = list.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !scopes.some((scope) => scope === name))
  if (unknown === undefined) return scopes.filter((scope) => scope === 'read' || names.includes(scope))
  throw new ConfigError(`--scopes: there is no scope ${plain(unknown)}; use names of ${scopes.join(', ')}`)
}

const unitHours = { h: 1, d: 24, w: 7 * 24 }

/** Milliseconds of `12h`, `30d` or `8w`, as `--expires` has checked it. */
function durationMs(duration: string): number {
  const unit = duration.at(-1) as keyof typeof unitHours
  return Number(duration.slice(0, -1)) * unitHours[unit] * hourMs
}
