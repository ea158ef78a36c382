/** The one element of the page that matches; the page is ours, so it is there. */
export function element<Wanted extends HTMLElement>(selector: string, inside: ParentNode = document): Wanted {
  return inside.querySelector(selector) as Wanted
}

/** A list item with a text and a button. */
export function item(text: string, action: string, onClick: () => unknown): HTMLLIElement {
  const button = document.createElement('button')
  button.textContent = action
  button.addEventListener('click', onClick)
  const line = document.createElement('li')
  line.append(`${text} `, button)
  return line
}

/** Tell the visitor something in one line. */
export function notice(text: string): void {
  element('#notice').textContent = text
}
