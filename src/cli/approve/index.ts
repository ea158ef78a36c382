import { ConfigError, type Config } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import { plainMessage } from '../../pages/support/plain-words.ts'
import { plainLines } from '../support/finding.ts'
import type { Io } from '../support/io.ts'
import { openPrompt, type Prompt } from '../support/prompt.ts'
import { withBackend } from '../support/with-backend.ts'
import { askNote, askPerson, explainNoVerdict } from './person.ts'
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
    const { api, name, product, scope } = await askPerson(config, backend, prompt)
    const risks = await openRisks(api, scope).catch((error: unknown) => explainNoVerdict(error, config))
    const risk = await choose(risks, config.operands[0], prompt, say)
    if (risk === undefined) {
      say(['No risk waits for approval or can be revoked in this scope.'])
      return 0
    }
    say([...describeRisk(risk, await scopeWords(api, risk)), `Recorded as: ${name}`])
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

/** The key is typed, so that a decision is not a habit. */
async function askKey({ keys: [key = ''] }: OpenRisk, word: Word, prompt: Prompt): Promise<void> {
  if ((await prompt.line(`Type ${key} to ${word}`)) !== key) {
    throw new ConfigError(`that is not ${key}: nothing was written`)
  }
}
