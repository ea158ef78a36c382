/** What a handler returns instead of the JSON response where the caller asked for another format. */
export class TextReply {
  readonly contentType: string
  readonly text: string

  constructor(contentType: string, text: string) {
    this.contentType = contentType
    this.text = text
  }
}
