import type { Bindable } from '../../../../sql/database.ts'

/** Answers to questions of one kind, each asked once. */
export interface Answers<Key, Answer> {
  /** Asks several of them together. */
  ask(keys: readonly Key[]): Promise<void>
  get(key: Key): Promise<Answer>
  /** The answer, if it was asked for. */
  known(key: Key): Answer | undefined
  set(key: Key, answer: Answer): void
  forget(key: Key): void
  clear(): void
}

/** `read` resolves to the answers for keys that are all different, in their order. */
export function createAnswers<Key extends readonly Bindable[], Answer>(
  read: (keys: readonly Key[]) => Promise<readonly Answer[]>,
): Answers<Key, Answer> {
  const answers = new Map<string, Answer>()

  async function ask(keys: readonly Key[]): Promise<void> {
    const open = new Map<string, Key>()
    for (const key of keys) {
      const name = nameFor(key)
      if (!answers.has(name)) open.set(name, key)
    }
    if (open.size === 0) return
    const found = await read([...open.values()])
    // One was read for each key.
    for (const [index, name] of [...open.keys()].entries()) answers.set(name, found[index] as Answer)
  }

  return {
    ask,
    async get(key) {
      await ask([key])
      return answers.get(nameFor(key)) as Answer
    },
    known: (key) => answers.get(nameFor(key)),
    set: (key, answer) => void answers.set(nameFor(key), answer),
    forget: (key) => void answers.delete(nameFor(key)),
    clear: () => answers.clear(),
  }
}

function nameFor(key: readonly Bindable[]): string {
  return JSON.stringify(key)
}
