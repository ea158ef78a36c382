import * as z from 'zod'
import { scopes } from '../../../contract/base/endpoint.ts'
import { TokenKind } from '../../../contract/products.ts'
import type { Principal } from '../../shared/context.ts'
import { readJson } from '../../sql/json.ts'

const StoredPrincipal = z.object({
  userId: z.string(),
  displayName: z.string(),
  tokenId: z.string(),
  tokenName: z.string(),
  tokenKind: TokenKind,
  scopes: z.array(z.enum(scopes)),
  workspaceIds: z.array(z.string()),
})

/** The caller that starts a run, as stored with it: the run has the rights that the caller has now. */
export function storePrincipal(principal: Principal): string {
  const stored: z.input<typeof StoredPrincipal> = {
    ...principal,
    scopes: [...principal.scopes],
    workspaceIds: [...principal.workspaceIds],
  }
  return JSON.stringify(stored)
}

/** What `storePrincipal` stored. */
export function readPrincipal(stored: string): Principal {
  const principal = readJson(StoredPrincipal, stored)
  return { ...principal, scopes: new Set(principal.scopes) }
}
