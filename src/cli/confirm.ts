import type { Config } from '../config.ts'
import { ServiceError } from '../errors.ts'
import type { Pending } from '../mcp/call/run-confirmed.ts'
import { previewLines } from '../mcp/confirm/preview.ts'
import type { Decisions } from '../pages/confirm/decisions.ts'
import { nextStep } from '../pages/confirm/next-step.ts'
import { plain, plainLines } from './support/finding.ts'
import type { Io } from './support/io.ts'
import { openDecisions } from './pages/open-pages.ts'
import { openPrompt, type Prompt } from './support/prompt.ts'
import { withBackend } from './support/with-backend.ts'

/**
 * `tracegate confirm CODE`: shows what an agent prepared and confirms it (mcp §7). The token is the person's own, typed at
 * the terminal; the configured one is never used. Resolves to 0 when it was written, else to 1.
 */
export async function run(config: Config, io: Io): Promise<number> {
  const prompt = openPrompt(io, 'confirm')
  const [given = ''] = config.operands
  return withBackend(config, io, (backend) => {
    const decisions = openDecisions(config, { backend: () => Promise.resolve(backend) })
    return decide(given, { decisions, prompt, io })
  })
}

/** Shows a code, or the link of its page, and asks the person; says on stderr why it was not confirmed. */
export async function decide(
  given: string,
  { decisions, prompt, io }: { decisions: Decisions; prompt: Prompt; io: Io },
): Promise<number> {
  const code = URL.parse(given)?.searchParams.get('t') ?? given
  const say = (lines: readonly string[]) => void io.stdout.write(`${plainLines(lines.join('\n'))}\n`)
  try {
    const { key, ...shown } = await decisions.open(code)
    say(['An agent prepared this. A person has to decide; nothing is written yet.', '', ...lines(shown), ''])
    const typed = await prompt.line(`Type ${plain(key ?? 'yes')} to confirm`)
    if (key === undefined && typed !== 'yes') {
      throw new ServiceError('declined', 'not confirmed; nothing was written', { reason: 'STOPPED' })
    }
    const token = await prompt.secret('Your own API token (not shown)')
    const written = await decisions.confirm(code, { token, typed, way: 'terminal' })
    say(['', written.answer, `recorded as: ${written.recorded ?? 'not stated by this deployment'}`])
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    io.stderr.write(`${plainLines(`tracegate: ${error.message}\n${nextStep(error)}`)}\n`)
    return 1
  }
}

function lines({ question, confirmation: { args, expiresAt } }: Pick<Pending, 'question' | 'confirmation'>): string[] {
  const reason = typeof args['reason'] === 'string' ? args['reason'] : undefined
  return previewLines({ question, recorded: 'the owner of the token that you type', reason, expiresAt })
}
