/** A segment with absolute numbers, as many as it has fields: column; source, line, column; name. */
export type Fields = [number] | [number, number, number, number] | [number, number, number, number, number]

/** The `mappings` text of lines of segments. */
export function encodeMappings(lines: readonly (readonly Fields[])[]): string {
  const last = [0, 0, 0, 0, 0]
  return lines
    .map((segments) => {
      last[0] = 0
      return segments
        .map((fields) =>
          fields
            .map((value, field) => {
              const difference = value - (last[field] ?? 0)
              last[field] = value
              return encodeVlq(difference)
            })
            .join(''),
        )
        .join(',')
    })
    .join(';')
}

/** One number, the sign in its lowest bit, five bits to a digit, the lowest first. */
export function encodeVlq(value: number): string {
  let rest = BigInt(Math.abs(value)) * 2n + (value < 0 ? 1n : 0n)
  let text = ''
  do {
    const digit = Number(rest % 32n)
    rest /= 32n
    text += 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'[rest > 0n ? digit + 32 : digit] ?? ''
  } while (rest > 0n)
  return text
}

/** A valid map with one source and one name, some members of which are given. */
export function mapText(members: Record<string, unknown> = {}): string {
  return JSON.stringify({ version: 3, sources: ['a.js'], names: ['a'], mappings: '', ...members })
}

/** A section that begins there and whose map has these members. */
export function section(line: number, column: number, members: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    offset: { line, column },
    map: { version: 3, sources: ['a.js'], names: ['a'], mappings: 'AAAA', ...members },
  }
}
