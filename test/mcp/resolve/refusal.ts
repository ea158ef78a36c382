import { errorText } from '../../../src/mcp/result/teach.ts'

/** The text that an agent reads where the work fails. */
export async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return errorText(error, { offers: () => true, pinned: false })
}
