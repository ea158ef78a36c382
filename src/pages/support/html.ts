import { html as template } from 'htm/preact'
import type { VNode } from 'preact'

/** A piece of a page. */
export type Html = VNode | VNode[]

/**
 * HTML as a template: whatever is put into it, in text or in an attribute, is escaped. Attributes have their HTML names,
 * and every element is closed (`<br />`). Nothing sets `dangerouslySetInnerHTML` except the style of the layout.
 */
export const html: (strings: TemplateStringsArray, ...values: unknown[]) => Html = template
