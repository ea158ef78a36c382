import { compileGlob, validateGlob } from '../../service/workspace/components/glob.ts'
import { globsMeet } from '../../service/workspace/components/overlap.ts'
import { slugify } from '../../service/workspace/products.ts'
import { replaceControls } from '../../lib/text.ts'
import type { Owner, OwnerRule } from './codeowners.ts'
import type { SuggestedFolder } from './components.ts'

/** A component as `init` suggests it: a folder of the sources, or what a rule of CODEOWNERS takes out of folders. */
export interface SuggestedComponent {
  name: string
  globs: readonly string[]
  excludes: readonly string[]
  owners: readonly Owner[]
}

const MOST_COMPONENTS = 100
const MOST_GLOBS = 100

/**
 * Gives each file to the owners of the last rule that matches it, as CODEOWNERS does. A folder has the owners of the first
 * rule that has files in it; a rule that has only a part of some folder becomes a component of its own, in the order of the
 * rules. In the service the most specific glob has a file, not the last one, so each component excludes what later rules
 * take from it (decision 119).
 */
export function assignOwners(
  folders: readonly SuggestedFolder[],
  files: readonly string[],
  rules: readonly OwnerRule[],
): SuggestedComponent[] {
  const usable = folders.filter(({ glob }) => validateGlob(glob) === undefined && glob.length <= 500)
  const first = rules.findLastIndex((rule) => rule.isCatchAll)
  const effective = rules
    .slice(Math.max(0, first))
    .map((rule) => ({ ...rule, globs: withoutFolders(rule.globs, files) }))
  const { inFolder, live } = ruleForFiles(usable, files, effective)
  const split = new Set(inFolder.flatMap((found) => found.toSorted(ascending).slice(1)))
  const parts = [...split].toSorted(ascending)
  const globs = (index: number) => effective[index]?.globs ?? []
  const name = uniqueNames()
  const whole = usable.map((folder, index): SuggestedComponent => {
    const own = Math.min(...(inFolder[index] ?? []), effective.length)
    const taken = parts.filter((part) => part > own && meets([folder.glob], globs(part)))
    const owners = effective[own]?.owners ?? []
    return {
      name: name(folder.name),
      globs: [folder.glob],
      excludes: taken.flatMap(globs).slice(0, MOST_GLOBS),
      owners,
    }
  })
  const partial = parts.map((part): SuggestedComponent => {
    const { pattern = '', owners = [] } = effective[part] ?? {}
    const later = live.filter((other) => other > part && meets(globs(part), globs(other)))
    const excludes = later.flatMap(globs).slice(0, MOST_GLOBS)
    return { name: name(pattern.replaceAll(/^\/|\/$/g, '')), globs: globs(part), excludes, owners }
  })
  return [...whole, ...partial].slice(0, MOST_COMPONENTS)
}

/** A name without a star may be a file or a folder. Where the repository has it as a file, it is no folder. */
function withoutFolders(globs: readonly string[], files: readonly string[]): readonly string[] {
  const [name = '', folder] = globs
  if (folder === undefined) return globs
  const [isFile, isInside] = [compileGlob(name), compileGlob(folder)]
  const isFolder = files.some((file) => isInside(file) && !isFile(file))
  return !isFolder && files.some(isFile) ? [name] : globs
}

/** No rule. */
const NONE = -1

/** The rules that have files: those of each folder, and all of them. */
function ruleForFiles(folders: readonly SuggestedFolder[], files: readonly string[], rules: readonly OwnerRule[]) {
  const matchers = rules.map((rule) => rule.globs.map(compileGlob))
  const places = folders.map(({ glob }) => compileGlob(glob))
  const inFolder = folders.map(() => new Set<number>())
  const live = new Set<number>()
  for (const file of files) {
    const rule = matchers.findLastIndex((globs) => globs.some((matches) => matches(file)))
    if (rule !== NONE) live.add(rule)
    inFolder[places.findIndex((matches) => matches(file))]?.add(rule)
  }
  return { inFolder: inFolder.map((found) => [...found]), live: [...live].toSorted(ascending) }
}

function meets(globs: readonly string[], others: readonly string[]): boolean {
  return globs.some((glob) => others.some((other) => globsMeet(glob, other)))
}

function ascending(left: number, right: number): number {
  return left - right
}

/** Makes names whose slugs differ, because the service tells components apart by them. */
function uniqueNames(): (wanted: string) => string {
  const slugs = new Set<string>()
  return (wanted) => {
    const base = replaceControls(wanted, ' ').trim().slice(0, 110) || 'files'
    let name = base
    for (let number = 2; slugs.has(slugify(name)); number += 1) name = `${base} ${String(number)}`
    slugs.add(slugify(name))
    return name
  }
}
