import type { Prompt } from '../src/mcp/define.ts'
import { triageErrors } from './triage-errors.ts'

export const prompts: readonly Prompt[] = [triageErrors]
