import type { Handlers } from '../shared/context.ts'
import { distill } from '../intent/draft/index.ts'

export const intentHandlers = {
  async distillIntent(input, call) {
    return { distillation: await distill(call, input) }
  },
} satisfies Handlers<'distillIntent'>
