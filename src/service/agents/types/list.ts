import type { AgentDefinition } from '../define.ts'
import { coverageGapScan } from './coverage-gap-scan/index.ts'
import { flakyScan } from './flaky-scan/index.ts'
import { gateWatch } from './gate-watch/index.ts'
import { issueTriage } from './issue-triage/index.ts'
import { linkSuggester } from './link-suggester/index.ts'
import { regressionBisect } from './regression-bisect/index.ts'
import { releaseDigest } from './release-digest/index.ts'
import { requirementLint } from './requirement-lint/index.ts'
import { sourcemapDoctor } from './sourcemap-doctor/index.ts'
import { suspectLinkAudit } from './suspect-link-audit/index.ts'

/** The agent types of this service (contract §8), in the order in which they are listed. */
export const agentTypes: readonly AgentDefinition[] = [
  coverageGapScan,
  issueTriage,
  gateWatch,
  regressionBisect,
  linkSuggester,
  flakyScan,
  suspectLinkAudit,
  requirementLint,
  sourcemapDoctor,
  releaseDigest,
]
