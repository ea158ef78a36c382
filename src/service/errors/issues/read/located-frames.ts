import { LRUCache } from 'lru-cache'
import { compileComponentRows, type Owners } from '../../../workspace/components/components.ts'
import { createLocator, frameKey, wantedNames, type LocateFrame } from '../../../workspace/components/locate-frame.ts'
import { parseRepositoryRoots } from '../../../workspace/components/repo-path.ts'
import { readNamedPaths } from '../../../workspace/components/snapshot.ts'
import { componentRef, type ComponentRef } from '../../../workspace/releases/names.ts'
import type { ProductRow } from '../../../sql/schema.ts'
import type { Rows } from '../../../sql/database.ts'
import { remembered } from '../../../sql/remembered.ts'
import type { NormalFrame } from '../../event/event.ts'
import { functionName } from '../../grouping/functions.ts'
import { describeAddress } from '../../grouping/title.ts'
import { attributeEvent } from '../attribute-event.ts'
import type { StoredEvent } from '../bodies/body.ts'

type Product = Pick<ProductRow, 'repository'> & { id: number }

interface Located {
  event: StoredEvent
  component: ComponentRef | null
}

/** What is known of the files of a product in one state of the database. */
interface ProductFiles {
  owners: Owners
  refs: ReadonlyMap<string, ComponentRef>
  /** By the files that the frames of an event name: the occurrences of an issue mostly name the same ones. */
  locators: LRUCache<string, LocateFrame>
}

const MOST_LOCATORS = 100
/** Of the keys, which hold texts of events; what a locator remembers is about as long. */
const MOST_CHARACTERS = 1_000_000

/**
 * Adds the file in the repository and the component that owns it to each frame that is shown, and finds the event's
 * component. What the events of a product share is read once for each state of the database (decision 084).
 */
export async function locateFrames(
  rows: Rows,
  event: StoredEvent,
  shown: StoredEvent,
  product: Product,
): Promise<Located> {
  const key = `files ${product.id} ${product.repository}`
  const files = await remembered(rows, key, () => readFiles(rows, product.id))
  const { owners, refs } = files
  const locate = await findLocator(rows, event, files, product)
  const withPlace = (frame: NormalFrame) => locateFrame(frame, { owners, locate, refs })
  return {
    event: {
      ...shown,
      exceptions: shown.exceptions.map((exception) => ({
        ...withoutSigns(exception),
        frames: exception.frames.map(withPlace),
      })),
      threads: shown.threads.map((thread) => ({ ...thread, frames: thread.frames.map(withPlace) })),
    },
    component: refs.get(attributeEvent(owners, event, locate)) ?? null,
  }
}

/** Native code without symbols has the name by which the culprit calls it: `shop+0x2a40`. */
function shownFunction({ function: name, signs }: NormalFrame): string {
  return signs?.address !== undefined && functionName(name, 'native') === '' ? describeAddress(signs) : name
}

/** Without what is only for grouping. */
export function withoutSigns<T extends { signs?: unknown }>(value: T): Omit<T, 'signs'> {
  const { signs: _, ...served } = value
  return served
}

async function readFiles(rows: Rows, productId: number): Promise<ProductFiles> {
  const components = await rows
    .selectFrom('component')
    .select(['id', 'slug', 'name', 'path_globs', 'exclude_globs', 'position'])
    .where('product_id', '=', productId)
    .execute()
  const refs = new Map(components.map((row) => [row.id, componentRef(row)]))
  const locators = new LRUCache<string, LocateFrame>({
    max: MOST_LOCATORS,
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 1,
  })
  return { owners: compileComponentRows(components), refs, locators }
}

/** The locator of the files that the frames name. It depends on them in their order: only so many names are looked up. */
async function findLocator(
  rows: Rows,
  { exceptions, threads }: StoredEvent,
  { owners, locators }: ProductFiles,
  { id, repository }: Product,
): Promise<LocateFrame> {
  const frames = [...exceptions.toReversed(), ...threads].flatMap((stack) => stack.frames.toReversed())
  const key = [...new Set(frames.map(frameKey))].join()
  const known = locators.get(key)
  if (known !== undefined) return known
  const roots = parseRepositoryRoots(repository)
  const named = await readNamedPaths(rows, id, wantedNames(frames, roots))
  const locate = createLocator({ roots, named, folders: owners.folders })
  locators.set(key, locate)
  return locate
}

function locateFrame(
  frame: NormalFrame,
  { owners, locate, refs }: Pick<ProductFiles, 'owners' | 'refs'> & { locate: LocateFrame },
): NormalFrame {
  const { path, source } = locate(frame)
  return {
    ...withoutSigns(frame),
    function: shownFunction(frame),
    repo_path: path,
    repo_path_source: source,
    component: refs.get(owners.findOwner(path) ?? '') ?? null,
  }
}
