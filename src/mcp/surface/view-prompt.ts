/** The id of the element in a view's file that holds a prompt for its buttons as JSON. */
export const PROMPT_ELEMENT = 'fix-prompt'

/** An issue that no product has: a view's prompt is made for it, and the key of the chosen issue takes its place. */
export const SOME_ISSUE = 'ISSUE-0'

/** In the file as it is committed: what a caller's prompt says depends on their tools. */
const nothing = `id="${PROMPT_ELEMENT}">null<`

/** The view's file with the prompt of a caller, or as it is where they have none. */
export function withPrompt(file: string, prompt: string | undefined): string {
  if (prompt === undefined) return file
  if (!file.includes(nothing)) throw new Error('the file of the view has no place for a prompt')
  const json = JSON.stringify(prompt).replaceAll('<', String.raw`\u003c`)
  return file.replace(nothing, () => `id="${PROMPT_ELEMENT}">${json}<`)
}

/** The prompt for an issue, from the prompt for some issue. */
export function promptFor(key: string, prompt: string): string {
  return prompt.replaceAll(SOME_ISSUE, () => key)
}
