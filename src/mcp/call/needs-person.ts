/** Thrown in a tool before it writes: a person has to confirm this call (level 2). The message says why. */
export class NeedsPerson extends Error {
  override readonly name = 'NeedsPerson'
}
