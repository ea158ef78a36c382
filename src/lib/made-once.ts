/**
 * `make` for values that nobody changes: called again only when one of them is another, and kept as long as the first one is.
 */
export function madeOnce<First extends object, Rest extends readonly unknown[], Made>(
  make: (first: First, ...rest: Rest) => Made,
): (first: First, ...rest: Rest) => Made {
  const kept = new WeakMap<First, { rest: Rest; made: Made }>()
  return (first, ...rest) => {
    const known = kept.get(first)
    if (known?.rest.every((value, index) => value === rest[index]) === true) return known.made
    const made = make(first, ...rest)
    kept.set(first, { rest, made })
    return made
  }
}
