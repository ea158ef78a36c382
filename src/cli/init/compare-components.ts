import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Component } from '../../mcp/resolve/types.ts'
import { compileGlob } from '../../service/workspace/components/glob.ts'
import { slugify } from '../../service/workspace/products.ts'
import type { Owner } from './codeowners.ts'
import type { SuggestedComponent } from './owned-components.ts'

/** Begins the tag of a component that `init` made. */
const TAG = 'init:'

/** The members of a component that follow the repository. */
export interface ComponentFacts {
  owners: Owner[]
  path_globs: string[]
  exclude_globs: string[]
}

export interface ComponentChange extends ComponentFacts {
  id: string
  name: string
  tags: string[]
  /** Why it changes, in words. */
  why: string
}

export interface ComponentPlan {
  created: readonly SuggestedComponent[]
  /** Of those that `init` made. */
  changed: readonly ComponentChange[]
  /** How many are as they should be, or somebody else's. */
  kept: number
}

/**
 * Compares the components of a product with those that the repository suggests. A component that somebody else made, or
 * changed since, stays as it is.
 */
export function compareComponents(
  suggested: readonly SuggestedComponent[],
  existing: readonly Component[],
  files: readonly string[],
): ComponentPlan {
  const pairs = suggested.map((one) => ({ one, found: findSame(one, existing) }))
  const updates = pairs.flatMap(({ one, found }) => (found === undefined ? [] : updated(one, found)))
  const used = new Set(pairs.map(({ found }) => found?.id))
  const retired = existing.filter(({ id }) => !used.has(id)).flatMap((component) => withoutFiles(component, files))
  const changed = [...updates, ...retired]
  return {
    created: pairs.filter(({ found }) => found === undefined).map(({ one }) => one),
    changed,
    kept: existing.length - changed.length,
  }
}

/** The members of a suggested component as they are sent, with the tag that says what `init` wrote. */
export function fieldsToSend(suggested: SuggestedComponent): ComponentFacts & { tags: string[] } {
  const facts = factsToSend(suggested)
  return { ...facts, tags: [tagFor(facts)] }
}

function factsToSend({ globs, excludes, owners }: SuggestedComponent): ComponentFacts {
  return { owners: [...owners], path_globs: [...globs], exclude_globs: [...excludes] }
}

/** A digest of what `init` writes: as long as it fits, nobody has changed the component (decision 120). */
function tagFor({ owners, path_globs, exclude_globs }: ComponentFacts): string {
  const written = JSON.stringify([owners.map(({ kind, ref }) => [kind, ref]), path_globs, exclude_globs])
  return TAG + hash('sha256', written, 'hex').slice(0, 12)
}

/** The tags with a new digest in place of the old one. */
function retag(tags: readonly string[], facts: ComponentFacts): string[] {
  return [...tags.filter((tag) => !tag.startsWith(TAG)), tagFor(facts)]
}

/** A suggested component is there if one has its name, or its folder. */
function findSame({ name, globs: [glob = ''] }: SuggestedComponent, existing: readonly Component[]) {
  const slug = slugify(name)
  return (
    existing.find((one) => one.name === name || one.slug === slug) ??
    existing.find((one) => one.path_globs?.includes(glob) === true)
  )
}

function updated(suggested: SuggestedComponent, found: Component): ComponentChange[] {
  const wanted = factsToSend(suggested)
  const { id, name = suggested.name, tags = [] } = found
  const present = currentFacts(found)
  if (!tags.includes(tagFor(present))) return []
  const why = [
    isDeepStrictEqual(present.owners, wanted.owners) ? '' : `owners ${ownerNames(wanted.owners)}`,
    isDeepStrictEqual(present.path_globs, wanted.path_globs) ? '' : `files ${wanted.path_globs.join(', ')}`,
    isDeepStrictEqual(present.exclude_globs, wanted.exclude_globs)
      ? ''
      : `without ${wanted.exclude_globs.join(', ') || 'exceptions'}`,
  ].filter(Boolean)
  return why.length === 0 ? [] : [{ id, name, why: why.join('; '), ...wanted, tags: retag(tags, wanted) }]
}

/** One whose rule is gone would keep files from others. It loses them, and stays for the requirements that name it. */
function withoutFiles(component: Component, files: readonly string[]): ComponentChange[] {
  const { id, name = '', tags = [] } = component
  const facts = currentFacts(component)
  if (!tags.includes(tagFor(facts)) || isDeepStrictEqual(facts.path_globs, facts.exclude_globs)) return []
  const matchers = facts.path_globs.map(compileGlob)
  if (!files.some((file) => matchers.some((matches) => matches(file)))) return []
  const empty = { ...facts, exclude_globs: facts.path_globs }
  return [{ id, name, why: 'no files any more', ...empty, tags: retag(tags, empty) }]
}

function currentFacts({ owners = [], path_globs = [], exclude_globs = [] }: Component): ComponentFacts {
  const named = owners.flatMap(({ kind, ref }) => (kind === undefined || ref === undefined ? [] : [{ kind, ref }]))
  // Kinds that this client does not know are not among those that it writes.
  return { owners: named as Owner[], path_globs: [...path_globs], exclude_globs: [...exclude_globs] }
}

/** Owners in words. */
export function ownerNames(owners: readonly Owner[]): string {
  return owners.map(({ ref }) => ref).join(' ') || 'nobody'
}
