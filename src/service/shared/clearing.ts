import { ServiceError } from '../../errors.ts'

/** The body of a PUT: members that are absent, null or a value, and a comma list of the members to apply. */
interface Update {
  title?: string | undefined
  update_mask?: string | undefined
}

/**
 * The members of an update to set (contract §3): absent ones stay unchanged, null resets to the value of a new resource
 * (`cleared`), and `update_mask` limits the members. A title cannot be cleared. Throws `invalid_argument` for a mask that
 * names no member or an unknown one: nothing would be changed, without a word.
 */
export function membersToSet<C extends Readonly<Record<string, unknown>>>(
  { update_mask: mask, ...input }: Update & { readonly [K in keyof C]?: unknown },
  cleared: C,
): Record<string, unknown> {
  const wanted = mask === undefined ? undefined : readMask(mask, ['title', ...Object.keys(cleared)])
  const isWanted = (name: string) => wanted?.includes(name) !== false
  const given: Readonly<Record<string, unknown>> = input
  const members = Object.keys(cleared).flatMap((name) => {
    const value = given[name]
    return value === undefined || !isWanted(name) ? [] : [[name, value === null ? cleared[name] : value] as const]
  })
  const { title } = input
  return { ...Object.fromEntries(members), ...(title !== undefined && isWanted('title') && { title }) }
}

function readMask(mask: string, known: readonly string[]): string[] {
  const names = mask.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !known.includes(name))
  if (unknown.length === 0) return names
  throw new ServiceError('invalid_argument', 'update_mask names no member that can be set, or an unknown one', {
    reason: 'FIELD_INVALID',
    violations: [{ field: 'update_mask', description: `must be a comma-separated list of ${known.join(', ')}` }],
  })
}
