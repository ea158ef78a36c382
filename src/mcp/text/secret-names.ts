/** Last words of a name that makes its value a secret; longer words that end in one are secret too (`PGPASSWORD`). */
const SECRET =
  /(?:password|passwd|passphrase|passcode|secret|apikey|token|cookies?|credentials?)$|^(?:pwd|secrets|auth|authorization|jwt|csrf|xsrf|session|sessionid|jsessionid|phpsessid|sess|sid|otp|totp|mfa|cvv|cvc|pin|ssn|bearer|privatekey|secretkey|accesskey|csrfmiddlewaretoken)$/

/** Last two words of such a name. */
const SECRET_PAIRS = new Set(
  (
    'api key|access key|secret key|private key|signing key|encryption key|master key|account key|auth key|session key|' +
    'license key|sentry key|svc key|session id|auth code|one time|card number|security code|verification code|' +
    'password hash|password digest|amz signature|amz credential|goog signature|db pass|user pass|smtp pass|pg pass'
  ).split('|'),
)

/**
 * Does a member of this name hold a secret (mcp §6.4)? Decided by its last words, so that `access_token` and `apiKey` do
 * and `token_count`, `author` and `passwordResetAt` do not.
 */
export function isSecretName(name: string): boolean {
  const words = splitName(name)
  const last = words.at(-1) ?? ''
  return SECRET.test(last) || SECRET_PAIRS.has(`${words.at(-2) ?? ''} ${last}`)
}

/** Is it a name whose value is a cookie? */
export function isCookieName(name: string): boolean {
  return /^cookies?$/.test(splitName(name).at(-1) ?? '')
}

/** Is it a name of passwords, of which people write prose (`password: must have…`) and single words? */
export function isPasswordName(name: string): boolean {
  return /(?:password|passwd|pwd|passphrase|passcode)$/.test(splitName(name).at(-1) ?? '')
}

function splitName(name: string): string[] {
  return name
    .slice(-200)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
}
