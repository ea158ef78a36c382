/**
 * A minified file whose functions cannot be read. The message is one sentence that names the position or the limit and
 * contains no text of the file.
 */
export class MinifiedDefect extends Error {
  override readonly name = 'MinifiedDefect'
}
