/** The variables of an address as text; a variable that cannot be decoded stays unchanged and matches nothing. */
export function decodedVariables(variables: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, decode(Array.isArray(value) ? value.join(',') : value)]),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
