/**
 * Families of SDK names that speak the protocol: Sentry's own SDKs name themselves `sentry.<family>` and, with an
 * integration, `sentry.<family>.<more>`; the older raven clients `raven-<family>`.
 */
const families = new Set([
  'android',
  'cocoa',
  'dart',
  'dotnet',
  'elixir',
  'go',
  'java',
  'javascript',
  'kotlin',
  'native',
  'perl',
  'php',
  'powershell',
  'python',
  'ruby',
  'rust',
  'unity',
  'unreal',
])

/**
 * Whether `sdk.name` is one of the names that SDKs use for themselves. Anyone can send it: it makes an event more
 * credible but proves nothing.
 */
export function isKnownSdk(name: string): boolean {
  const [prefix, family] = name.toLowerCase().split(/[.-]/)
  return (prefix === 'sentry' || prefix === 'raven') && family !== undefined && families.has(family)
}
