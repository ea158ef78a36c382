import type { WireReply } from '../../contract/base/wire.ts'
import { ServiceError } from '../../errors.ts'
import { note } from '../support/layout.ts'
import type { FormRequest, Page } from '../support/page.ts'
import { refusalReply } from '../support/refusal.ts'
import { pageReply } from '../support/reply.ts'
import { typedToken } from '../support/token-field.ts'
import type { Decisions } from './decisions.ts'
import { canRetry, mayBeWritten, nextStep } from './next-step.ts'
import { questionPage, writtenPage } from './views.ts'

/**
 * `/confirm?t=CODE`: a person reads what an agent prepared, and confirms it with their own token (mcp §7). What GET shows
 * is in the code, and nothing else (decision 054).
 */
export function confirmPage(decisions: Decisions): Page {
  return {
    name: 'confirm',
    get({ url }) {
      const code = url.searchParams.get('t') ?? ''
      return explained(code, decisions, async () => pageReply(200, questionPage(code, await decisions.open(code))))
    },
    post({ form }: FormRequest) {
      const code = form.get('t') ?? ''
      return explained(code, decisions, async () => {
        const token = typedToken(form)
        if (token === undefined) {
          await decisions.open(code)
          throw new ServiceError('unauthenticated', 'what was typed is not an API token; nothing was written')
        }
        const typed = form.get('typed') ?? ''
        return pageReply(200, writtenPage(await decisions.confirm(code, { token, typed, way: 'page' })))
      })
    },
  }
}

/** The page, or one that says why not; with the question again where the person can still confirm it. */
async function explained(
  code: string,
  decisions: Decisions,
  work: () => WireReply | Promise<WireReply>,
): Promise<WireReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const pending = canRetry(error) ? await decisions.open(code).catch(leaveOut) : undefined
    if (pending === undefined) return refusal(error)
    return pageReply(error.status, questionPage(code, pending, note('bad', notConfirmed(error), nextStep(error))))
  }
}

/** Somebody else has used it meanwhile, or it has ended. */
function leaveOut(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}

function refusal(error: ServiceError): WireReply {
  const { status, code, reason, message } = error
  const next = nextStep(error)
  if (mayBeWritten(error))
    return refusalReply({ status, title: 'It may have been written', reason: `${message}.`, next })
  if (reason === 'CONFIRMATION_USED') {
    return refusalReply({ status, title: 'Used before', reason: `Not asked again: ${message}.`, next })
  }
  if (code === 'confirmation_expired') {
    return refusalReply({ status, title: 'Expired', reason: `Not asked any more: ${message}.`, next })
  }
  return refusalReply({ status, title: 'Not confirmed', reason: notConfirmed(error), next })
}

function notConfirmed({ message }: ServiceError): string {
  return `Not confirmed: ${message}.`
}
