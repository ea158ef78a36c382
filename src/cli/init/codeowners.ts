import { validateGlob } from '../../service/workspace/components/glob.ts'

/** A line of CODEOWNERS, with the globs that mean what its pattern means. */
export interface OwnerRule {
  /** Counted from 1. */
  line: number
  pattern: string
  globs: readonly string[]
  owners: readonly Owner[]
  /** Whether it matches every file. */
  isCatchAll: boolean
}

export interface Owner {
  kind: 'OWNER_KIND_USER' | 'OWNER_KIND_TEAM' | 'OWNER_KIND_EMAIL'
  ref: string
}

export interface CodeOwners {
  /** In the order of the file: the last that matches a file has it. */
  rules: readonly OwnerRule[]
  /** Lines that no glob can say, or that are beyond the limit. */
  unread: readonly number[]
}

/** Rules that are used at most, the last ones: a file with more is not one that people keep. */
const MOST_RULES = 500
const MOST_OWNERS = 50
const LONGEST_OWNER = 200

/**
 * The rules of a CODEOWNERS file of GitHub or GitLab. Sections of GitLab give their lines default owners, and count as one
 * list in the order of the file.
 */
export function parseCodeOwners(text: string): CodeOwners {
  const rules: OwnerRule[] = []
  const unread: number[] = []
  let defaults: readonly Owner[] = []
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = index + 1
    const words = splitWords(raw)
    const [first = ''] = words
    if (first === '') continue
    const section = /^\s*\^?\[[^\]]+\](?:\[\d+\])?(?<owners>\s.*)?$/.exec(raw)
    if (section !== null) {
      defaults = readOwners(splitWords(section.groups?.['owners'] ?? ''))
      continue
    }
    const globs = globsFor(first)
    if (globs === undefined) unread.push(line)
    else {
      const own = readOwners(words.slice(1))
      const owners = words.length > 1 ? own : defaults
      rules.push({ line, pattern: unescape(first), globs, owners, isCatchAll: globs.includes('**') })
    }
  }
  const beyond = rules.splice(0, Math.max(0, rules.length - MOST_RULES)).map(({ line }) => line)
  return { rules, unread: [...unread, ...beyond].toSorted((left, right) => left - right) }
}

/** The words of a line up to its comment; a backslash keeps the character after it. */
function splitWords(line: string): string[] {
  const words: string[] = line.match(/(?:\\.|[^\s\\])+/g) ?? []
  const comment = words.findIndex((word) => word.startsWith('#'))
  return comment === -1 ? words : words.slice(0, comment)
}

function readOwners(words: readonly string[]): Owner[] {
  return words
    .filter((word) => word.length <= LONGEST_OWNER && !/\p{C}/u.test(word))
    .flatMap((ref): Owner[] => {
      if (/^@@?[\w.-]+(?:\/[\w./-]+)$/.test(ref) || ref.startsWith('@@')) return [{ kind: 'OWNER_KIND_TEAM', ref }]
      if (/^@[\w.-]+$/.test(ref)) return [{ kind: 'OWNER_KIND_USER', ref }]
      return /^[^@\s]+@[^@\s]+$/.test(ref) ? [{ kind: 'OWNER_KIND_EMAIL', ref }] : []
    })
    .slice(0, MOST_OWNERS)
}

/** The globs of a pattern, whose rules are those of .gitignore; undefined where there are none. */
function globsFor(pattern: string): string[] | undefined {
  // Neither host knows ranges; a negation takes files out again, which no component can say.
  if (/^[!^]|[[\]]/.test(pattern)) return undefined
  const path = unescape(pattern)
    .replace(/^\//, '')
    .replace(/\/\*\*$/, '/')
  if (path === '' || path === '*' || path === '**' || path === '**/') return ['**']
  const isAnchored = pattern.startsWith('/') || path.slice(0, -1).includes('/')
  const escaped = escapeGlob(path.replace(/\/$/, ''), { keep: '*?' })
  const base = isAnchored || escaped.startsWith('**/') ? escaped : `**/${escaped}`
  const last = base.slice(base.lastIndexOf('/') + 1)
  // "docs/*" is the files in the folder alone, "*.js" files; a name without a star is a file, or a folder with all in it.
  const globs = path.endsWith('/') ? [`${base}/**`] : last.includes('*') ? [base] : [base, `${base}/**`]
  return globs.every((glob) => glob.length <= 500 && validateGlob(glob) === undefined) ? globs : undefined
}

function unescape(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}

/** The text as a part of a glob that means it as it is; characters of `keep` stay wildcards. */
export function escapeGlob(text: string, { keep = '' } = {}): string {
  return text.replace(/[[\](){}*?!+@|\\]/g, (character) => (keep.includes(character) ? character : `\\${character}`))
}
