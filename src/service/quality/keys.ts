/** The human key of a requirement (contract §0.7), such as `REQ-12`. */
export function requirementKey({ number }: { number: number }): string {
  return `REQ-${String(number)}`
}

/** The human key of a test (contract §0.7), such as `TC-7`. */
export function testKey({ number }: { number: number }): string {
  return `TC-${String(number)}`
}

/** `REQ-12` in any case is 12; −1 if it is not the key of a requirement. */
export function requirementNumber(key: string): number {
  return keyNumber(/^req-(\d{1,15})$/i, key)
}

/** `TC-7` in any case is 7; −1 if it is not the key of a test. */
export function testNumber(key: string): number {
  return keyNumber(/^tc-(\d{1,15})$/i, key)
}

function keyNumber(pattern: RegExp, key: string): number {
  const digits = pattern.exec(key.trim())?.[1]
  return digits === undefined ? -1 : Number(digits)
}
