/** Filled in by the build, as `shop@1.4.0`. */
declare const __SHOP_RELEASE__: string

/** The release this code was built as; run from source it is the newest one. */
export const release = typeof __SHOP_RELEASE__ === 'undefined' ? 'shop@1.4.1' : __SHOP_RELEASE__

/** What a release brought; one switch per change that customers notice. */
export const features = {
  /** A discount code may build on another code. */
  stackedDiscounts: since('1.4.0'),
  /** Codes that build on each other in a circle count once. */
  discountCircleCheck: since('1.4.1'),
  /** Guests get their confirmation at the address they typed in. */
  guestConfirmation: since('1.4.0'),
  /** Confirmations are written by the new mail templates. */
  newMailTemplates: since('1.4.1'),
  /** The start page shows what others bought. */
  recommendations: since('1.4.0'),
}

function since(version: string): boolean {
  const built = release
    .slice(release.indexOf('@') + 1)
    .split('.')
    .map(Number)
  const wanted = version.split('.').map(Number)
  for (const [position, part] of wanted.entries()) {
    const difference = (built[position] ?? 0) - part
    if (difference !== 0) return difference > 0
  }
  return true
}
