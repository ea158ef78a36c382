import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ConfigError } from '../../config.ts'
import { ServiceError } from '../../errors.ts'
import type { Io } from './io.ts'

/** Asks the person at the terminal, on stdout. */
export interface Prompt {
  /** One line, trimmed. Rejects with `aborted` when the person ends it with Ctrl-C or Ctrl-D. */
  line(question: string): Promise<string>
  /** The same, without showing what is typed. */
  secret(question: string): Promise<string>
}

/**
 * The terminal that a command runs in. Throws `ConfigError` where there is none: a decision is typed by a person, and what
 * a program pipes in is not.
 */
export function openPrompt({ stdin, stdout }: Io, command: string): Prompt {
  if (stdin.isTTY !== true || stdout.isTTY !== true) {
    throw new ConfigError(
      `${command} asks a person and reads nothing from pipes or variables: run it in a terminal (with docker: exec -it)`,
    )
  }
  return {
    line: (question) => ask({ stdin, stdout }, { question, hidden: false }),
    secret: (question) => ask({ stdin, stdout }, { question, hidden: true }),
  }
}

function ask(
  { stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>,
  { question, hidden }: { question: string; hidden: boolean },
): Promise<string> {
  let muted = false
  const output = new Writable({
    write(chunk: Buffer, _, done) {
      if (!muted) stdout.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 })
  let isAnswered = false
  return new Promise((resolve, reject) => {
    reader.question(`${question}: `, (typed) => {
      isAnswered = true
      resolve(typed.trim())
      reader.close()
    })
    muted = hidden
    reader.once('SIGINT', () => reader.close())
    reader.once('close', () => {
      // The reader ends the line of an answer that it shows.
      if (hidden || !isAnswered) stdout.write('\n')
      reject(
        new ServiceError('aborted', 'stopped before everything was typed: nothing was written', { reason: 'STOPPED' }),
      )
    })
  })
}
