import * as z from 'zod'
import type { RequestOf } from '../../../src/contract/index.ts'
import type { Context } from '../../../src/mcp/define/define.ts'
import * as parameters from '../../../src/mcp/define/parameters.ts'
import { judgedWords, resolveJudged } from '../../../src/mcp/resolve/judged-words.ts'
import type { Product } from '../../../src/mcp/resolve/types.ts'
import { teamText } from '../../../src/mcp/text/team.ts'
import { givenName } from '../columns.ts'

/** What a verdict is about: parameters that the tools of the gate share. */
export const scopeParameters = {
  product: parameters.Product,
  release: parameters.named(
    'Release to judge: its errors in production, its tests wherever they ran.',
    z.string().optional(),
  ),
  environment: parameters.named('Judge errors and test results of this environment alone.', z.string().optional()),
  commit: parameters.named('Commit SHA to judge.', z.string().optional()),
  git_branch: parameters.named('Git branch to judge.', z.string().optional()),
}

export interface ScopeArguments {
  release?: string | undefined
  environment?: string | undefined
  commit?: string | undefined
  git_branch?: string | undefined
}

export interface GateScope {
  request: Omit<RequestOf<'getGate'>, 'verdict_id'>
  /** ` for release 1.4.1 in production`; empty for the whole product. */
  words: string
  /** The arguments that name the same scope in another call. */
  args: Readonly<Record<string, string>>
}

/** The scope that the arguments name, by ids. */
export async function resolveScope(given: ScopeArguments, product: Product, { resolve }: Context): Promise<GateScope> {
  const { commit, git_branch: gitBranch } = given
  const judged = await resolveJudged(given, product.id, resolve)
  const { release, environment } = judged
  const words = [
    ...judgedWords(judged, given, givenName),
    commit && `commit ${teamText(commit).slice(0, 12)}`,
    gitBranch && `git branch ${teamText(gitBranch)}`,
  ].filter(Boolean)
  const members = {
    release_id: release?.id,
    environment_id: environment?.id,
    commit_sha: commit,
    git_branch: gitBranch,
  }
  const named = { release: given.release, environment: given.environment, commit, git_branch: gitBranch }
  return {
    request: { product_id: product.id, ...defined(members) },
    words: words.length === 0 ? '' : ` for ${words.join(', ')}`,
    args: { product: product.id, ...defined(named) },
  }
}

function defined(members: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}
