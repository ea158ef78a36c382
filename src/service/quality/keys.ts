/** Keys that are provisional until a branch is merged (contract §5): the number is stored negative. */
const PROVISIONAL = '?'

/** The human key of a requirement (contract §0.7): `REQ-12`, or `REQ-?3` for the number −3. */
export function requirementKey({ number }: { number: number }): string {
  return `REQ-${written(number)}`
}

/** The human key of a test (contract §0.7): `TC-7`, or `TC-?3` for the number −3. */
export function testKey({ number }: { number: number }): string {
  return `TC-${written(number)}`
}

/** The human key of a requirement or a test, by the number of its key. */
export function entityKey(type: 'requirement' | 'test', number: number): string {
  return type === 'test' ? testKey({ number }) : requirementKey({ number })
}

/** Whether the key is that of a requirement or a test which a branch creates. */
export function isProvisionalKey(key: string): boolean {
  return requirementNumber(key) < 0 || testNumber(key) < 0
}

/** `REQ-12` in any case is 12, and `REQ-?3` is −3; 0, which no requirement has, if it is not the key of a requirement. */
export function requirementNumber(key: string): number {
  return keyNumber(/^req-(\??)(\d{1,15})$/i, key)
}

/** `TC-7` in any case is 7, and `TC-?3` is −3; 0, which no test has, if it is not the key of a test. */
export function testNumber(key: string): number {
  return keyNumber(/^tc-(\??)(\d{1,15})$/i, key)
}

function written(number: number): string {
  return number < 0 ? `${PROVISIONAL}${String(-number)}` : String(number)
}

function keyNumber(pattern: RegExp, key: string): number {
  const [, sign, digits] = pattern.exec(key.trim()) ?? []
  if (digits === undefined) return 0
  return sign === PROVISIONAL ? -Number(digits) : Number(digits)
}
