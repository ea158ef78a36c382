/** A value of a configuration file: plain JSON, which TOML and YAML have as well. */
export type Value = string | number | boolean | readonly Value[] | Members
export interface Members {
  readonly [name: string]: Value
}

/** `json` is strict, `jsonc` allows comments and trailing commas. */
export type Format = 'json' | 'jsonc' | 'toml' | 'yaml'

/** The way to a value: names of members, and places in lists. */
export type Path = readonly (string | number)[]
