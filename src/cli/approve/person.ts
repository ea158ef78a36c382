import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import { ConfigError, type Config } from '../../config.ts'
import { isNotComputed, isTokenRefused, ServiceError } from '../../errors.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import { resolveJudged } from '../../mcp/resolve/judged-words.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import { apiFor, type Backend } from '../support/backend.ts'
import { chooseProduct } from '../support/choose-product.ts'
import type { Prompt } from '../support/prompt.ts'
import { written } from './risks.ts'

/** Asks a person for their own token, and reads what they decide about. Throws for the token of an agent or a CI system. */
export async function askPerson(config: Config, backend: Backend, prompt: Prompt) {
  const api = apiFor(backend, await prompt.secret('Your API token'))
  const { user, token } = await api.getMe({}).catch(explainToken)
  if (token?.kind !== undefined && token.kind !== 'person') {
    throw new ConfigError(`this token is of the kind ${token.kind}: a person decides, with a token of their own`)
  }
  const product = await chooseProduct(api, config.product, timeLimit(30_000))
  return { api, product, name: written(user.display_name) || user.id, scope: await readScope(api, config, product.id) }
}

/** The scope that the gate judges for the same flags (decision 124): there the risk was accepted. */
async function readScope(api: Api, config: Config, productId: string) {
  const resolve = createResolver({ api, pinned: undefined, signal: timeLimit(30_000) })
  const { release, environment } = await resolveJudged(config, productId, resolve)
  return {
    product_id: productId,
    ...(release !== undefined && { release_id: release.id }),
    ...(environment !== undefined && { environment_id: environment.id }),
  }
}

function explainToken(error: unknown): never {
  if (!isTokenRefused(error)) throw error
  // No setting helps: the token is typed.
  const hint = 'nothing was written'
  const words = 'this token is not valid here: check that it was copied whole'
  throw new TeachingError(error.code, words, { hint }, { reason: error.reason, cause: error })
}

/** Says which scope to name where there is no verdict of this one. */
export function explainNoVerdict(error: unknown, { release, environment }: Config): never {
  if (!isNotComputed(error)) throw error
  const isWhole = release === undefined && environment === undefined
  const words = isWhole
    ? 'there is no verdict of the whole product: name the scope of the risk with --release and --environment'
    : 'there is no verdict of this scope: name the one in which the risk was accepted'
  // A verdict of a release alone names the environment of that release, and people repeat what they read.
  const isNarrow = release !== undefined && environment !== undefined
  const hint = isNarrow ? `; leave out --environment if the verdict says "in ${environment}" of the release` : ''
  throw new ServiceError(error.code, `${words}, or compute it with tracegate gate${hint}`, { cause: error })
}

/** The longest note that the contract allows. */
const NOTE_CHARACTERS = 1000

/** What the person adds; empty for nothing. */
export async function askNote(prompt: Prompt): Promise<string> {
  const note = await prompt.line('Note (may be empty)')
  if (note.length <= NOTE_CHARACTERS) return note
  throw new ConfigError(
    `the note is longer than ${NOTE_CHARACTERS.toLocaleString('en')} characters: nothing was written`,
  )
}
