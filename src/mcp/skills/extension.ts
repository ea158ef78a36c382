import type { CacheHint } from '@modelcontextprotocol/server'
import {
  skillEntry,
  SkillsExtension,
  type SkillReadResult,
  type SkillSource,
} from '@modelcontextprotocol/server/ext/skills'
import { once } from '../../lib/once.ts'
import type { Listing } from '../surface/listing.ts'
import { skillDocuments } from './documents.ts'

type Scope = NonNullable<CacheHint['cacheScope']>
const extensions: Readonly<Record<Scope, WeakMap<Listing, SkillsExtension>>> = {
  public: new WeakMap(),
  private: new WeakMap(),
}

/** The skills of a listing for its servers; made at the first use. A skill never names a tool that is not listed. */
export function skillsExtension(listing: Listing, cacheHint: CacheHint & { cacheScope: Scope }): SkillsExtension {
  const known = extensions[cacheHint.cacheScope].get(listing)
  if (known !== undefined) return known
  const made = new SkillsExtension({ source: skillSource(listing), cacheHint })
  extensions[cacheHint.cacheScope].set(listing, made)
  return made
}

function skillSource(listing: Listing): SkillSource {
  const prepare = once(async () => {
    const documents = skillDocuments(listing)
    const entries = await Promise.all(documents.map(({ name, text }) => skillEntry(name, { 'SKILL.md': text })))
    return new Map(entries.map((entry, index) => [entry.uri, { entry, text: documents[index]?.text ?? '' }]))
  })
  return {
    async list() {
      return { skills: [...(await prepare()).values()].map(({ entry }) => entry) }
    },
    async get(uri) {
      return (await prepare()).get(uri)?.entry
    },
    async read(uri): Promise<SkillReadResult | undefined> {
      const found = (await prepare()).get(uri)
      return found && { text: found.text, mimeType: 'text/markdown' }
    },
  }
}
