/**
 * A minified file of which no functions can be read. The message is one sentence that names the position or the limit
 * and holds nothing of the file.
 */
export class MinifiedDefect extends Error {
  override readonly name = 'MinifiedDefect'
}
