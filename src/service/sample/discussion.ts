import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { recordingUrl } from './recording.ts'

/** Name of the quality branch of the planning meeting. */
const sampleBranch = 'Returns'

const document = 'discussions/returns.md'

const Branches = z.object({ branches: z.array(z.object({ name: z.string() })) })

/** Drafts the notes of a planning meeting on a branch, as a member's agent did; once. */
export async function draftDiscussion(
  product: string,
  call: (method: string, path: string, body?: object) => Promise<unknown>,
): Promise<void> {
  const states = ['OPEN', 'MERGED', 'CLOSED'].map((state) => `state=BRANCH_STATE_${state}`).join('&')
  const { branches } = Branches.parse(await call('GET', `${product}/branches?${states}`))
  if (branches.some(({ name }) => name === sampleBranch)) return
  const content = await readFile(new URL(document, recordingUrl), 'utf8')
  await call('POST', `${product}/intent:distill`, {
    documents: [{ name: `docs/${document}`, content }],
    branch_name: sampleBranch,
  })
}
