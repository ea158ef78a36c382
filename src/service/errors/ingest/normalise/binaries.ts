import { isObject, type JsonObject } from '../../../../lib/objects.ts'

/** Where the code of an address is. */
interface Place {
  /** Path of the binary; '' if the event does not name it. */
  file: string
  /** The id of the binary and the address relative to its start: the same in every run of one build. */
  address: string
}

/** The binaries that were loaded when a native event occurred. */
export interface Binaries {
  /** Undefined for an address outside of all of them, which means nothing in another process. */
  find(address: unknown, mode: unknown): Place | undefined
}

interface Binary {
  start: number
  /** Exclusive; Infinity if the event does not say. */
  end: number
  file: string
  id: string
}

const MOST_BINARIES = 2_000

/** Reads `debug_meta.images` with addresses, as native SDKs send them. */
export function readBinaries(debugMeta: unknown): Binaries {
  const images = isObject(debugMeta) && Array.isArray(debugMeta.images) ? debugMeta.images : []
  const listed = (images as unknown[])
    .slice(0, MOST_BINARIES)
    .map((image) => (isObject(image) ? read(image) : undefined))
  const sorted = listed.filter((binary) => binary !== undefined).toSorted((left, right) => left.start - right.start)
  return {
    find(sent, mode) {
      if (listed.length === 0) return undefined
      const address = parseAddress(sent)
      if (address === undefined) return undefined
      // Unreal and WebAssembly send addresses that are already relative to the image they name.
      const named = typeof mode === 'string' ? /^rel:(\d{1,5})$/.exec(mode)?.[1] : undefined
      if (named !== undefined) return describe(listed[Number(named)], address)
      const binary = lastBefore(sorted, address)
      return binary === undefined || address >= binary.end ? undefined : describe(binary, address - binary.start)
    },
  }
}

function read(image: JsonObject): Binary | undefined {
  const start = parseAddress(image.image_addr) ?? 0
  const size = parseAddress(image.image_size) ?? 0
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 512) : '')
  const file = text(image.code_file) || text(image.name) || text(image.debug_file)
  const id = text(image.debug_id) || text(image.id) || text(image.uuid) || text(image.code_id)
  return file === '' && id === '' ? undefined : { start, end: size > 0 ? start + size : Infinity, file, id }
}

function describe(binary: Binary | undefined, relative: number): Place | undefined {
  if (binary === undefined) return undefined
  return { file: binary.file, address: `${binary.id.toLowerCase()} ${relative.toString(16)}` }
}

/** The last binary that starts at or before an address. */
function lastBefore(sorted: readonly Binary[], address: number): Binary | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.start <= address) low = middle + 1
    else high = middle
  }
  return sorted[low - 1]
}

/** Hex with `0x`, decimal digits or a number; undefined for anything else and for more than 53 bits. */
function parseAddress(value: unknown): number | undefined {
  const isText = typeof value === 'string' && /^(?:0x[0-9a-f]{1,16}|\d{1,20})$/i.test(value)
  const address = isText ? Number(value) : value
  return typeof address === 'number' && Number.isSafeInteger(address) && address >= 0 ? address : undefined
}
