import { isIPv6 } from 'node:net'

/** The lengths and first digits that the card networks use. */
const CARD = /^(?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|6(?:011|5\d\d)\d{12})$/

/** Whether it is a card number: a known network and a valid check digit (ISO/IEC 7812-1). Ignores spaces and dashes. */
export function passesLuhn(text: string): boolean {
  const digits = text.replaceAll(/[ -]/g, '')
  if (!CARD.test(digits)) return false
  let sum = 0
  for (const [index, digit] of Array.from(digits).toReversed().entries()) {
    const doubled = index % 2 === 1 ? Number(digit) * 2 : Number(digit)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Whether it is an IBAN: with letters as numbers and the first four characters last, 1 modulo 97 (ISO 13616). */
export function passesIban(text: string): boolean {
  const iban = text.replaceAll(' ', '')
  if (iban.length < 15 || iban.length > 34) return false
  let rest = 0
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest === 1
}

/** Whether it is an IPv6 address that may identify a person. `::1` does not, and `fe::bad` is a name in C++ or Rust. */
export function personalIpv6(text: string): boolean {
  const groups = text.split(':').filter((group) => group !== '')
  return groups.length >= 3 && /\d/.test(text) && isIPv6(text)
}
