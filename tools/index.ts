import type { Tool } from '../src/mcp/define/define.ts'
import { acceptGateRisk } from './accept-gate-risk.ts'
import { approveGateRisk } from './approve-gate-risk.ts'
import { approveRequirements } from './approve-requirements.ts'
import { cancelAgentRun } from './cancel-agent-run.ts'
import { computeQualityGate } from './compute-quality-gate.ts'
import { createAgentConfig } from './create-agent-config.ts'
import { createComponent } from './create-component.ts'
import { createEnvironment } from './create-environment.ts'
import { createProduct } from './create-product.ts'
import { createQualityBranch } from './create-quality-branch.ts'
import { decideLinkProposals } from './decide-link-proposals.ts'
import { deleteAgentConfig } from './delete-agent-config.ts'
import { deleteEnvironment } from './delete-environment.ts'
import { deleteQualityBranch } from './delete-quality-branch.ts'
import { deleteRequirement } from './delete-requirement.ts'
import { deleteTest } from './delete-test.ts'
import { distillIntent } from './distill-intent.ts'
import { findCoverageGaps } from './find-coverage-gaps.ts'
import { findErrorIssues } from './find-error-issues.ts'
import { getAgentConfig } from './get-agent-config.ts'
import { getAgentRun } from './get-agent-run.ts'
import { getErrorIssue } from './get-error-issue.ts'
import { getFixContext } from './get-fix-context.ts'
import { getQualityGate } from './get-quality-gate.ts'
import { getRelease } from './get-release.ts'
import { getRequirement } from './get-requirement.ts'
import { getTestContext } from './get-test-context.ts'
import { getTest } from './get-test.ts'
import { getWorkspaceContext } from './get-workspace-context.ts'
import { ingestTestReport } from './ingest-test-report.ts'
import { listRequirements } from './list-requirements.ts'
import { listTests } from './list-tests.ts'
import { mergeQualityBranch } from './merge-quality-branch.ts'
import { recordRelease } from './record-release.ts'
import { recordTests } from './record-tests.ts'
import { reviewBranch } from './review-branch.ts'
import { saveRequirement } from './save-requirement.ts'
import { sendTestEvent } from './send-test-event.ts'
import { setErrorIssueStatus } from './set-error-issue-status.ts'
import { startAgentRun } from './start-agent-run.ts'
import { unlinkTest } from './unlink-test.ts'
import { uploadSourceMap } from './upload-source-map.ts'
import { verifySetup } from './verify-setup.ts'

/** Every tool, in the order agents see them: the default toolset first. `npm run lists` adds a new one. */
export const tools: readonly Tool[] = [
  getWorkspaceContext,
  findCoverageGaps,
  getTestContext,
  recordTests,
  ingestTestReport,
  findErrorIssues,
  getErrorIssue,
  getFixContext,
  setErrorIssueStatus,
  getQualityGate,
  computeQualityGate,
  acceptGateRisk,
  distillIntent,
  reviewBranch,
  getAgentRun,
  listRequirements,
  getRequirement,
  saveRequirement,
  approveRequirements,
  deleteRequirement,
  listTests,
  getTest,
  unlinkTest,
  deleteTest,
  uploadSourceMap,
  getRelease,
  recordRelease,
  createProduct,
  verifySetup,
  createComponent,
  createEnvironment,
  deleteEnvironment,
  approveGateRisk,
  sendTestEvent,
  createQualityBranch,
  deleteQualityBranch,
  mergeQualityBranch,
  decideLinkProposals,
  cancelAgentRun,
  createAgentConfig,
  deleteAgentConfig,
  getAgentConfig,
  startAgentRun,
]
