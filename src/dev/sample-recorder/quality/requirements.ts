import { readFile } from 'node:fs/promises'
import type { SampleRequirement } from '../../../service/sample/requirements.ts'
import { readFeature } from './feature.ts'
import type { Imported } from './imported.ts'
import { readPromises } from './promises.ts'

const folder = new URL('../documents/', import.meta.url)

/** The path of a document in the shop's repository. */
const documentUri = (name: string) => `docs/${name}`

/** Imports the requirements in the shop's documents, numbered in their order: the same documents give the same list. */
export async function importRequirements(from: URL = folder): Promise<SampleRequirement[]> {
  const text = (name: string) => readFile(new URL(name, from), 'utf8')
  const feature = readFeature(await text('buying.feature'), documentUri('buying.feature'))
  const promises = readPromises(await text('promises.md'), documentUri('promises.md'))
  return [...numbered(feature, 0), ...numbered(promises, feature.length)]
}

function numbered(list: readonly Imported[], before: number): SampleRequirement[] {
  const keyAt = (index: number) => `REQ-${String(before + index + 1)}`
  return list.map(({ group, ...requirement }, index) => ({
    key: keyAt(index),
    parent: group < 0 ? '' : keyAt(group),
    ...requirement,
  }))
}
