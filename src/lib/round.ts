/** The number rounded to so many digits after the point. */
export function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits
}
