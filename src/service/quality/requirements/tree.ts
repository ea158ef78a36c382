import { ServiceError } from '../../../errors.ts'
import type { Prepare } from '../../sql/database.ts'

/** The deepest level of a requirement (contract §3). */
const DEEPEST = 12
const SEPARATOR = '/'
/** The character after the separator; it ends the range of all paths below a path. */
const AFTER = '0'

/** Begins the hexadecimal digits of a provisional number, and sorts after them. */
const PROVISIONAL = 'p'

/** The last position that a step of a path can tell from others. A request may set lower ones alone, so that some are left. */
export const LAST_POSITION = 0xffff_ffff

/**
 * One segment of a `tree_path`: sorts by position, then by number, provisional ones last; the separator sorts before every
 * digit.
 */
function treeStep({ position, number }: { position: number; number: number }): string {
  const digits = number < 0 ? PROVISIONAL + hex(-number, 7) : hex(number)
  return `${hex(Math.min(position, LAST_POSITION))}:${digits}`
}

function hex(value: number, width = 8): string {
  return value.toString(16).padStart(width, '0')
}

function stepNumber(step: string): number {
  const digits = step.slice(step.indexOf(':') + 1)
  return digits.startsWith(PROVISIONAL) ? -Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 16)
}

/** The path of a requirement below its parent. Throws `DEPTH_EXCEEDED`. */
export function treePath(
  parent: { tree_path: string } | undefined,
  place: { position: number; number: number },
): string {
  const path = parent === undefined ? treeStep(place) : `${parent.tree_path}${SEPARATOR}${treeStep(place)}`
  if (treeDepth(path) > DEEPEST) throw tooDeep()
  return path
}

/** The numbers of the ancestors in a path, root first. */
export function ancestorNumbers(path: string): number[] {
  const steps = path.split(SEPARATOR).slice(0, -1)
  return steps.map(stepNumber)
}

/** The range of paths below one, for `tree_path > from AND tree_path < to`. */
export function below(path: string): { from: string; to: string } {
  return { from: path + SEPARATOR, to: path + AFTER }
}

/** Whether `path` equals `other` or is below it. */
export function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(other + SEPARATOR)
}

/**
 * Updates the paths of a requirement and all its descendants. Throws `DEPTH_EXCEEDED` if the lowest would be too deep.
 */
export async function moveSubtree(prepare: Prepare, productId: number, from: string, to: string): Promise<void> {
  if (from === to) return
  const range = below(from)
  const lowest = await prepare(
    `SELECT max(length(tree_path) - length(replace(tree_path, '${SEPARATOR}', ''))) AS separators FROM requirement
     WHERE product_id = ? AND deleted_at IS NULL AND (tree_path = ? OR (tree_path > ? AND tree_path < ?))`,
  ).get<{ separators: number | null }>(productId, from, range.from, range.to)
  const extra = treeDepth(to) - treeDepth(from)
  if ((lowest?.separators ?? 0) + 1 + extra > DEEPEST) throw tooDeep()
  await prepare(
    `UPDATE requirement SET tree_path = ? || substr(tree_path, ?)
     WHERE product_id = ? AND (tree_path = ? OR (tree_path > ? AND tree_path < ?))`,
  ).run(to, from.length + 1, productId, from, range.from, range.to)
}

function treeDepth(path: string): number {
  return path.split(SEPARATOR).length
}

function tooDeep(): ServiceError {
  return new ServiceError(
    'failed_precondition',
    `requirements can be at most ${String(DEEPEST)} levels deep; choose a parent further up`,
    {
      reason: 'DEPTH_EXCEEDED',
    },
  )
}
