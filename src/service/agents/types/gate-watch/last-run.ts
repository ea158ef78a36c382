import * as z from 'zod'
import type { ScopeIds } from '../../../gate/verdict/store.ts'
import { ConditionWord, VerdictWord } from './output.ts'

const ref = z.object({ id: z.string() }).nullable()

/** The members of an earlier output that this run reads. */
const EarlierOutput = z.object({
  checked_at: z.string(),
  scope: z.object({ release: ref, environment: ref, commit_sha: z.string(), git_branch: z.string() }),
  verdict: z.object({ id: z.string(), status: VerdictWord }),
  conditions: z.array(z.object({ id: z.string(), status: ConditionWord })),
})

export type LastRun = z.output<typeof EarlierOutput>

/** The last run, if it watched this scope. */
export function readLastRun(previous: unknown, scope: ScopeIds): LastRun | undefined {
  const { data: last } = EarlierOutput.safeParse(previous)
  if (last === undefined) return undefined
  const { release, environment, commit_sha: commit, git_branch: branch } = last.scope
  const isSame =
    (release?.id ?? '') === scope.releaseId &&
    (environment?.id ?? '') === scope.environmentId &&
    commit === scope.commitSha &&
    branch === scope.gitBranch
  return isSame ? last : undefined
}
