import type { Listing } from '../surface/listing.ts'
import { instructionsIn } from '../surface/prompt-text.ts'

/** A skill as agents keep them in files: `<name>/SKILL.md` has this text. */
export interface SkillDocument {
  /** Lowercase words with hyphens. */
  name: string
  description: string
  /** With its front matter. */
  text: string
}

const NEEDS_SERVER =
  'The steps use tools of the MCP server "tracegate". If you do not have them, tell the user: `tracegate install` adds the server to a client.'

/** The prompts and documents of a listing as skills: the same words, so that there is nothing to keep alike. */
export function skillDocuments({
  prompts,
  resources,
  offers,
}: Pick<Listing, 'prompts' | 'resources' | 'offers'>): SkillDocument[] {
  const workflows = prompts.map((prompt) => {
    const { title, description, when } = prompt
    const { steps, notes } = instructionsIn(prompt, offers)
    const body = [`# ${title}`, NEEDS_SERVER, steps, ...notes].join('\n\n')
    return skill(prompt.name.replaceAll('_', '-'), `${description} ${when}`, body)
  })
  const documents = resources.flatMap((resource) =>
    resource.skill === undefined ? [] : [skill(resource.skill.name, resource.skill.description, resource.text)],
  )
  return [...workflows, ...documents]
}

function skill(name: string, description: string, body: string): SkillDocument {
  // JSON in double quotes is YAML as well, whatever the sentence has in it.
  const front = ['---', `name: ${name}`, `description: ${JSON.stringify(description)}`, '---']
  return { name, description, text: `${[...front, '', body.trimEnd()].join('\n')}\n` }
}
