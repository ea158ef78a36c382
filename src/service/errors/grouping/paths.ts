/** The last segment of a path or address, without query and fragment. */
function basename(path: string): string {
  const end = path.search(/[?#]/)
  const bare = end === -1 ? path : path.slice(0, end)
  return bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1)
}

/** Frames of the page itself, whose file is an address that says little about the source (errors §2.1). */
export function isUrl(path: string): boolean {
  return /^(?:https?|applewebdata|blob):/i.test(path)
}

/**
 * A file name with the parts that a bundler makes from the content replaced: `main.4f3a2b1c.js` and `chunk-ABCD1234.js`
 * are `main.<hash>.js` and `chunk-<hash>.js`, because they change with each build.
 */
export function withoutHashes(name: string): string {
  if (!/[\w-]{6}/.test(name)) return name
  const vite = /^(.*[-.])([\w-]{8})(\.[cm]?js)$/.exec(name)
  const masked = vite && looksRandom(vite[2]!) ? `${vite[1]!}<hash>${vite[3]!}` : name
  const migrates = MIGRATION.test(name)
  return masked.replace(/[^.\-_~:<>]+/g, (part, at) => (isHash(part) && !(migrates && at === 0) ? '<hash>' : part))
}

/**
 * A source that begins with a date, with or without a time, or milliseconds since 1970, as tools name migrations. In a
 * name that ends with it, it is the moment of a build.
 */
const MIGRATION = /^(?:20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?|1\d{12})[-_]/

function isHash(part: string): boolean {
  if (/^[0-9a-f]{8,}$/i.test(part)) return true
  if (/^[0-9a-f]{6,7}$/i.test(part)) return /\d/.test(part) && /[a-f]/i.test(part)
  // esbuild: eight characters of base 32.
  return /^[A-Z2-7]{8}$/.test(part)
}

/**
 * Rollup and Vite: eight characters of base 64. Text with a digit before a letter, or with frequent changes of case, is
 * not a word.
 */
function looksRandom(text: string): boolean {
  const turns = text.match(/(?<=[a-z])[A-Z]|(?<=[A-Z])[a-z]/g) ?? []
  return turns.length >= 3 || /\d[a-z]/i.test(text)
}

/**
 * A script's name without the numbers that bundlers give chunks in the order in which they find them: `417.<hash>.js`.
 */
export function withoutNumbers(name: string): string {
  return name.replace(/(?<![\w-])\d+(?=\.)/g, '<number>')
}

/** The name of the file at a path, and its part that is the same in every build. */
interface FileName {
  name: string
  stable: string
}

/** Reads the name of the file at a path. */
export type ReadName = (path: string) => FileName

/** Reads the name of one file. */
export function readName(path: string): FileName {
  const name = basename(path)
  return { name, stable: withoutHashes(name) }
}

/** `readName` for the frames of one event, most of which are in the same few files. */
export function namesOfEvent(): ReadName {
  const known = new Map<string, FileName>()
  return (path) => {
    const before = known.get(path)
    if (before !== undefined) return before
    const read = readName(path)
    known.set(path, read)
    return read
  }
}
