/** A value of a configuration file: plain JSON, which YAML has as well, and TOML but for `null`. */
export type Value = string | number | boolean | null | readonly Value[] | Members
export interface Members {
  readonly [name: string]: Value
}

/** `json` is strict, `jsonc` allows comments and trailing commas. */
export type Format = 'json' | 'jsonc' | 'toml' | 'yaml'

/** The way to a value: names of members, and places in lists. */
export type Path = readonly (string | number)[]

/** Whether a value has members: neither a list nor `null`. */
export function isMembers(value: Value | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value inside of nothing but what the path names. */
export function nested(path: Path, value: Value): Value {
  return path.reduceRight<Value>((inner, step) => (typeof step === 'number' ? [inner] : { [step]: inner }), value)
}
