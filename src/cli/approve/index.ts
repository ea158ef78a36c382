import type { Api } from '../../client/api.ts'
import { timeLimit } from '../../client/budget.ts'
import { ConfigError, type Config } from '../../config.ts'
import { isNotComputed, isTokenRefused, ServiceError } from '../../errors.ts'
import { createResolver } from '../../mcp/resolve/index.ts'
import { resolveJudged } from '../../mcp/resolve/judged-words.ts'
import { TeachingError } from '../../mcp/result/teach.ts'
import { plainMessage } from '../../pages/support/plain-words.ts'
import { apiFor } from '../support/backend.ts'
import { chooseProduct } from '../support/choose-product.ts'
import { plainLines } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { openPrompt, type Prompt } from '../support/prompt.ts'
import { withBackend } from '../support/with-backend.ts'
import { openRisks, describeRisk, scopeWords, written, type OpenRisk } from './risks.ts'

const decisions = {
  approve: 'RISK_DECISION_APPROVE',
  reject: 'RISK_DECISION_REJECT',
  revoke: 'RISK_DECISION_REVOKE',
} as const

type Word = keyof typeof decisions

/**
 * `tracegate approve [RISK|BLOCKER]`: a person approves, rejects or revokes an accepted risk at a terminal, with their own
 * token, which is typed and comes from no file or variable. Resolves to 1 when the service refuses or they stop.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const prompt = openPrompt(io, 'approve')
  const say = (lines: readonly string[]) => void io.stdout.write(`${plainLines(lines.join('\n'))}\n`)
  return withBackend(config, io, async (backend) => {
    const api = apiFor(backend, await prompt.secret('Your API token'))
    const { user, token } = await api.getMe({}).catch(explainToken)
    if (token?.kind !== undefined && token.kind !== 'person') {
      throw new ConfigError(`this token is of the kind ${token.kind}: a person decides, with a token of their own`)
    }
    const product = await chooseProduct(api, config.product, timeLimit(30_000))
    const scope = await readScope(api, config, product.id)
    const risks = await openRisks(api, scope).catch((error: unknown) => explainNoVerdict(error, config))
    const risk = await choose(risks, config.operands[0], prompt, say)
    if (risk === undefined) {
      say(['No risk waits for approval or can be revoked in this scope.'])
      return 0
    }
    say([...describeRisk(risk, await scopeWords(api, risk)), `Recorded as: ${written(user.display_name) || user.id}`])
    const word = await askDecision(risk, prompt)
    const note = await askNote(prompt)
    await askKey(risk, word, prompt)
    const { risk: decided, verdict } = await explained(
      api.approveRisk({
        product_id: product.id,
        risk_id: risk.risk.id,
        decision: decisions[word],
        way: 'DECISION_WAY_TERMINAL',
        ...(note !== '' && { note }),
        ...(risk.risk.etag !== undefined && { etag: risk.risk.etag }),
      }),
    )
    const state = decided.state?.replace('RISK_STATE_', '') ?? 'not stated'
    say([`Risk ${decided.id}: ${state}`, `Verdict: ${written(verdict?.status_reason) || 'not stated'}`])
    return 0
  })
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

/** The risk that the operand names, by its id or one of its keys; else the person chooses. */
async function choose(
  risks: readonly OpenRisk[],
  named: string | undefined,
  prompt: Prompt,
  say: (lines: readonly string[]) => void,
): Promise<OpenRisk | undefined> {
  const fitting = named === undefined ? risks : risks.filter(({ risk, keys }) => [risk.id, ...keys].includes(named))
  if (named !== undefined && fitting.length === 0) {
    throw new ConfigError(
      `no open risk of this scope is or covers ${named}; name its scope with --release and --environment`,
    )
  }
  if (fitting.length < 2) return fitting[0]
  say(fitting.map(({ risk, keys }, index) => `${String(index + 1)}. ${risk.id} (${keys.join(', ')})`))
  const number = Number(await prompt.line(`Which one, 1 to ${String(fitting.length)}`))
  const chosen = fitting[number - 1]
  if (chosen === undefined) throw new ConfigError('that is none of them: nothing was written')
  return chosen
}

async function askDecision({ risk }: OpenRisk, prompt: Prompt): Promise<Word> {
  const words: readonly Word[] = risk.state === 'RISK_STATE_APPROVED' ? ['revoke'] : ['approve', 'reject']
  const typed = await prompt.line(`Type ${words.join(' or ')}`)
  const word = words.find((one) => one === typed)
  if (word === undefined) throw new ConfigError('that is no decision: nothing was written')
  return word
}

function explainToken(error: unknown): never {
  if (!isTokenRefused(error)) throw error
  // No setting helps: the token is typed.
  const hint = 'nothing was written'
  const words = 'this token is not valid here: check that it was copied whole'
  throw new TeachingError(error.code, words, { hint }, { reason: error.reason, cause: error })
}

function explainNoVerdict(error: unknown, { release, environment }: Config): never {
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

const refusals: Readonly<Record<string, string>> = {
  FOUR_EYES_REQUIRED: 'you accepted this risk, so another person has to approve it; tracegate admin makes their token',
  PERSON_REQUIRED: 'only a person decides this, with a token of their own',
  RISK_STATE_INVALID: 'somebody else has decided it, or it has ended: run the command again',
  ETAG_MISMATCH: 'the risk has changed since it was shown: run the command again',
}

/** The refusal of a decision in words, without those of a request; what other deployments say is not repeated. */
async function explained<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code, reason, metadata } = error
    throw new ServiceError(code, refusals[reason] ?? plainMessage(error), { reason, metadata, cause: error })
  }
}

/** The longest note that the contract allows. */
const NOTE_CHARACTERS = 1000

async function askNote(prompt: Prompt): Promise<string> {
  const note = await prompt.line('Note (may be empty)')
  if (note.length <= NOTE_CHARACTERS) return note
  throw new ConfigError(
    `the note is longer than ${NOTE_CHARACTERS.toLocaleString('en')} characters: nothing was written`,
  )
}

/** The key is typed, so that a decision is not a habit. */
async function askKey({ keys: [key = ''] }: OpenRisk, word: Word, prompt: Prompt): Promise<void> {
  if ((await prompt.line(`Type ${key} to ${word}`)) !== key) {
    throw new ConfigError(`that is not ${key}: nothing was written`)
  }
}
