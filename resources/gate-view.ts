import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineView } from '../src/mcp/define/define.ts'

export const gateView = defineView({
  name: 'gate-view',
  uri: 'ui://tracegate/gate',
  title: 'Quality gate',
  description:
    'The verdict, its conditions, the path to green, risks, exclusions and traceability as a picture. Read-only.',
  tools: ['get_quality_gate', 'compute_quality_gate'],
  html: () => readFileSync(join(import.meta.dirname, 'gate-view.html'), 'utf8'),
})
