import type { Resource } from '../src/mcp/define.ts'
import { docsIds } from './docs-ids.ts'
import { docsSafety } from './docs-safety.ts'
import { docsWorkflows } from './docs-workflows.ts'

export const resources: readonly Resource[] = [docsIds, docsSafety, docsWorkflows]
