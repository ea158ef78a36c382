import { ifOffered } from '../../mcp/resolve/offered.ts'
import { textForPeople } from '../../mcp/text/untrusted.ts'
import { shown } from '../picture/shown.ts'
import type { Reading } from '../session/reading.ts'

/** What can be chosen in a field of the form. */
export interface Choice {
  value: string
  label: string
}

export interface Choices {
  environments: readonly Choice[]
  releases: readonly Choice[]
  components: readonly Choice[]
}

const NAME_CHARACTERS = 60

/** What the product has to filter by; a list that the deployment does not offer is empty. */
export async function readChoices(productId: string, { resolve }: Reading): Promise<Choices> {
  const [environments, releases, components] = await Promise.all([
    ifOffered(resolve.environments(productId)),
    ifOffered(resolve.releases(productId)),
    ifOffered(resolve.components(productId)),
  ])
  return {
    environments: (environments?.rows ?? []).map(({ id, name }) => ({
      value: id,
      label: textForPeople(name, NAME_CHARACTERS) || id,
    })),
    releases: (releases?.rows ?? []).map(({ id, version, environment }) => {
      const place = textForPeople(environment, NAME_CHARACTERS)
      const name = textForPeople(version, NAME_CHARACTERS) || id
      return { value: id, label: place === '' ? name : `${name} (${place})` }
    }),
    components: (components?.rows ?? []).map(({ id, name }) => ({ value: id, label: shown(name) ?? id })),
  }
}
