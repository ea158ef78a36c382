/**
 * An object with the members of `source`, each made when it is first read. A spread or a listing makes all of them.
 */
export function lazyMembers<T>(source: object, make: (name: string) => T): Readonly<Record<string, T>> {
  const made: Record<string, T> = {}
  const read = (name: string | symbol): T | undefined =>
    typeof name === 'string' && Object.hasOwn(source, name) ? (made[name] ??= make(name)) : undefined
  return new Proxy(made, {
    get: (_, name) => read(name),
    has: (_, name) => Object.hasOwn(source, name),
    ownKeys: () => Reflect.ownKeys(source),
    getOwnPropertyDescriptor(_, name) {
      const value = read(name)
      return value === undefined ? undefined : { value, enumerable: true, configurable: true, writable: true }
    },
  })
}
