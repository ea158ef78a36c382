import type { Question } from '../define/define.ts'
import { ifOffered } from '../resolve/offered.ts'
import { isAllowed, type Asking } from './asking.ts'
import { asShown, previewLines, type Preview } from './preview.ts'
import { CONFIRMATION_MS, mintConfirmation, principalHash } from './token.ts'

/** Browsers and servers take an address of this length; node:http takes 16 KB of headers. */
const LINK_CHARACTERS = 8000

/** A question as a person reads it, and the token that carries it. */
export interface Prepared {
  question: Question
  token: string
  preview: Preview
}

/** Reads the question of a call and signs it; undefined for a tool that has none. */
export async function prepare(asking: Asking): Promise<Prepared | undefined> {
  const { tool, args, context, options } = asking
  const asked = await tool.confirm?.(args, context)
  if (asked === undefined) return undefined
  const question = asShown(asked)
  const expiresAt = (options.now ?? Date.now)() + CONFIRMATION_MS
  return { question, token: mint(asking, question), preview: await readPreview(asking, question, expiresAt) }
}

function mint({ tool, args, context, options, caller }: Asking, question: Question): string {
  const { product } = context.options
  return mintConfirmation(
    { secret: options.secret(), now: options.now },
    {
      tool: tool.name,
      args: plainArguments(args),
      principal: principalHash(caller),
      ...(product !== undefined && { product }),
      question,
    },
  )
}

/** What a person is shown of a call; who is recorded is the owner of the token that the context calls with. */
async function readPreview(
  { args: { reason }, context: { api, signal } }: Pick<Asking, 'args' | 'context'>,
  question: Question,
  expiresAt: number,
): Promise<Preview> {
  const user = (await ifOffered(api.getMe({}, { signal })))?.user
  const recorded = user && [user.display_name, `(user ${user.id})`].filter(Boolean).join(' ')
  return { question, recorded, reason: typeof reason === 'string' ? reason : undefined, expiresAt }
}

/** The lines that follow an error: what a person decides on, and the ways in which they can. */
export async function previewWithWays(
  asking: Asking,
  { preview, token }: Prepared,
  { withHandle }: { withHandle: boolean },
): Promise<string> {
  const { link, isTooLong } = await pageFor(asking, token)
  const isHandle = withHandle && isAllowed('handle', asking)
  const inLink = 'what follows t= in the link'
  return [
    ...previewLines(preview),
    ...(link === undefined ? [] : [`page: ${link}`]),
    ...(isTooLong ? ['page: none, because the arguments are too long for an address'] : []),
    ...(isHandle ? [`confirmation: ${link === undefined ? token : inLink}`] : []),
    `terminal: tracegate confirm ${link !== undefined ? `CODE, which is ${inLink}` : isHandle ? 'CODE, which is the confirmation' : token}`,
  ].join('\n')
}

/** Where a person decides the call: the address of the page, else the command for a terminal. */
export async function whereDecided(asking: Asking): Promise<string | undefined> {
  const asked = await asking.tool.confirm?.(asking.args, asking.context)
  if (asked === undefined) return undefined
  const token = mint(asking, asShown(asked))
  return (await pageFor(asking, token)).link ?? `tracegate confirm ${token}`
}

/** The address of the page, if there is one that can be opened. */
async function pageFor({ options }: Asking, token: string): Promise<{ link?: string; isTooLong: boolean }> {
  const link = await options.pageLink?.(token)
  if (link === undefined) return { isTooLong: false }
  return link.length <= LINK_CHARACTERS ? { link, isTooLong: false } : { isTooLong: true }
}

/** Arguments as they are in a token. */
export function plainArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(args)) as Record<string, unknown>
}
