import type { Candidate } from '../../types.ts'
import { wordPattern } from './words.ts'

type Kind = Candidate['kind']

/** Words that show the kind of a requirement; the first match counts. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  [
    'REQUIREMENT_KIND_COMPLIANCE',
    wordPattern(
      'gdpr|ccpa|hipaa|pci(?:[- ]dss)?|sox|iso ?27001|soc ?2|wcag|regulat(?:ion|ory|ions)|complian(?:ce|t)|compl(?:y|ies) with (?:the )?(?:law|gdpr|regulations?)|legal(?:ly)?|audit(?:s|ed|able|ing| log| trail)?|retention|retain(?:ed|s)?|right to be forgotten|consent|data subject|personal data',
    ),
  ],
  [
    'REQUIREMENT_KIND_SECURITY',
    wordPattern(
      'auth|authenticat\\w+|authori[sz]\\w+|log ?in|sign ?in|passwords?|passcodes?|credentials?|encrypt\\w*|decrypt\\w*|tls|ssl|https|hash(?:ed|es|ing)?|permissions?|access control|privileges?|roles?|tokens?|sessions?|csrf|xss|injection|secrets?|certificates?|signatures?|vulnerab\\w+|attack\\w*|brute[- ]force|lock(?:ed)? out|mfa|2fa|two-factor|sso|oauth|unauthori[sz]ed|sanitis\\w*|sanitiz\\w*',
    ),
  ],
  [
    'REQUIREMENT_KIND_NON_FUNCTIONAL',
    wordPattern(
      'latency|availab(?:le|ility) (?:of|at least|for)?|availability|uptime|throughput|performance|scalab\\w+|response times?|respond within|within \\d+(?:\\.\\d+)? ?(?:ms|milliseconds?|s|seconds?|minutes?)|\\d+(?:\\.\\d+)? ?(?:ms|milliseconds?|rps|qps|requests per second)|p\\d\\d|percentile|concurrent users?|memory usage|cpu|reliab\\w+|usab\\w+|accessib\\w+|maintainab\\w+|portab\\w+|failover|recovery time|mttr|\\d+(?:\\.\\d+)? ?(?:%|percent)',
    ),
  ],
  [
    'REQUIREMENT_KIND_INTERFACE',
    wordPattern(
      'apis?|endpoints?|rest|graphql|grpc|webhooks?|protocols?|formats?|json|xml|csv|yaml|http|status codes?|headers?|schemas?|payloads?|command[- ]line|cli|sdk|message formats?|ports?|content[- ]type',
    ),
  ],
  [
    'REQUIREMENT_KIND_CONSTRAINT',
    wordPattern(
      'written in|built (?:with|on|in)|implemented in|based on|programming language|operating systems?|browsers?|licen[cs]es?|budget|deadline|must only use|run(?:s)? on (?:linux|windows|macos|node|java|kubernetes|docker)|compatible with|no dependenc\\w+|third[- ]party librar\\w+',
    ),
  ],
]

/** The kind of a requirement by its words: functional if none match, and always a story for user stories. */
export function kindFor(pattern: Candidate['pattern'], text: string): Kind {
  if (pattern === 'PATTERN_USER_STORY') return 'REQUIREMENT_KIND_USER_STORY'
  return KINDS.find(([, words]) => words.test(text))?.[0] ?? 'REQUIREMENT_KIND_FUNCTIONAL'
}
