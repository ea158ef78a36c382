import { otherLanguages } from './flag-languages.ts'

/** Content of outsiders' text that targets an agent (mcp §6.6). */
export type FlagKind =
  | 'command_like'
  | 'install_instruction'
  | 'role_marker'
  | 'markdown_heading'
  | 'url'
  | 'hidden_unicode'

/** A weak flag is worth knowing; a strong one looks like an instruction that the user should be told about. */
export type Strength = 'weak' | 'strong'

export interface FlagPattern {
  kind: FlagKind
  strength: Strength
  /** Matches lower-case text; bounded gaps keep it linear. */
  pattern: RegExp
}

/** Where an imperative may begin: at a clause, or after words that turn a verb into a command. */
const ORDER = String.raw`(?:^|[.!?:;,>*()\]"'\`-]\s{0,3}|\b(?:please|then|and|must|should|now|also|immediately|first|just|always|will|you to|agents? to|sure to|silently|simply|never|can you|whenever possible,?)\s{1,3})`
const OBJECT = String.raw`\s{1,3}(?:the|all|any|my|your|our|its|their|every|each|this|that|these|those|them|it|me|us|an?|both|full|contents?|current|user|api|ssh|env|secret|hidden|system|previous|everything|what|last|more|database|process\.|os\.|\.?[~/$.]|!\[)`
const AGENT = String.raw`(?:ai|llm|claude|copilot|chatgpt|gpt(?:-?\d)?|gemini|codex|(?:the |an? |coding |ai |dear )?(?:ai )?assistants?|(?:large )?language models?|ai (?:models?|systems?|agents?)|(?:coding|automated|autonomous) agents?)`
const SENSITIVE = String.raw`(?:api[\s_-]?keys?|secrets?\b|credentials?|passwords?|(?:access|auth|bearer|session|api|user'?s?|github)[\s_-]{0,2}(?:access )?tokens?|\.env\b|id_rsa|ssh[\s_-]keys?|private[\s_]keys?|environment variables?|env vars?|\.aws/credentials|\.ssh\b|\.npmrc|/etc/(?:passwd|shadow)|conversation|chat[\s_](?:history|transcript|messages)|(?:session|full|entire|message) (?:chat )?history|(?:system|hidden|initial|secret|developer|full|original|previous|your) (?:system )?(?:prompt|instructions?|context|configuration|message|rules)|(?:verification|security|otp|mfa|authentication) (?:verification )?code|\botp\b|personal data|(?:user|customer|patient|financial|acquired|location) (?:data|records?)|medical records?|contacts\b|cookies?\b|auth(?:orization)? header|sensitive data|database password|dsn\b|process\.env|os\.environ|payment (?:methods?|card|details)|saved (?:payment|address|card)\w{0,40}|dialogue context)`

/** Begins with the verb, which is rarer than what may stand before it. */
const order = (verbs: string, rest: string) => new RegExp(`(?=(?:${verbs})\\b)(?<=${ORDER})(?:${verbs})\\b${rest}`, 'm')

/** Instructions to ignore earlier instructions, in English. */
const overrides: readonly RegExp[] = [
  /\b(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|es|ing)|bypass(?:es|ing)?|discard|supersedes?|abandon|neglect)\b[^\n]{0,50}?\b(?:previous(?:ly)?|prior|above|earlier|preceding|all|any|your|original|initial|existing|current|below|following|safety|security|system|content|core|these|those|my)\b[^\n]{0,30}?\b(?:instructions?|prompts?|rules?|guidelines?|guidance|directions?|directives?|commands?|constraints?|polic(?:y|ies)|filters?|restrictions?|safeguards?|guardrails?|programming|training|orders?|(?:safety|security) (?:controls?|checks?|mechanisms?|protocols?|warnings?)|confirmations?|context|messages?|scope)\b/,
  /\b(?:ignore|disregard|forget)\s{1,3}(?:about\s{1,3})?(?:everything|anything|all|what|the (?:above|user|rest|block|previous|translation|last))\b/,
  order('ignore|disregard|never ?mind', `\\s{1,3}(?:the|other|words|below|context|this|that|these)\\b`),
  /\byour (?:\w{1,40} )?(?:instructions|guidelines|programming|directives|guardrails|system message)\b/,
  /\b(?:set aside|put aside|stop following|(?:do not|don't|never) (?:follow|obey|comply with))\b[^\n]{0,40}?\b(?:guidance|guidelines?|instructions?|rules?|directives?|prompts?|constraints?)\b/,
  /\b(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?|principles)\b[^\n]{0,50}\b(?:no longer appl(?:y|ies)|(?:is|are|were) (?:void|deprecated|invalid|outdated|wrong|being superseded|superseded|replaced|cancelled|disabled)|supersedes?|take effect)\b/,
  /\b(?:new|updated|actual|real|true|important|mandatory|hidden|secret|additional|embedded|latent|operator|system)[\s_-](?:(?:system|important|urgent|global|configuration)[\s_-])?(?:instructions?|prompt|directives?|orders|rules|override|task)\b\s{0,3}(?:[:*=>(-]|follows?\b|are\b|is\b|below|for\b|instead|from)/,
  /\byour\s{1,3}(?:new|real|actual|true|only|next|updated)\s{1,3}(?:task|instructions?|job|goal|role|objective|purpose|mission|rules?|identity|persona)\b/,
  /\b(?:change|replace|rewrite|update|modify|alter|reset|override)\s{1,3}(?:all\s|your\s)(?:current\s|system\s){0,2}(?:instructions?|prompts?|rules?|behaviou?r|persona|scope)\b/,
  /\b(?:adhere|comply|conform)\s{1,3}(?:strictly\s)?(?:to|with)\s{1,3}(?:the following|all|my|these|every)\b/,
  /\bfollow(?:s|ing)?\s{1,3}(?:these|my|all|every|the|them|any)\b[^\n]{0,20}\b(?:instructions?|orders?|directives?|commands?|exactly|step there)\b/,
  /\bobey\b|\bnew important\b|\bimportant!{2,}|\b(?:critical|urgent)(?:!{2,}|\*{2,9}|\s(?:note|notice|notification)\s?:)|\*{2,9}\s?(?:new |very )?important\b|\bimportant (?:note|message|notice|update|notification)s?(?:\s?:| (?:to|for|from)\b)/,
  /\b(?:system|admin|safety|operator|constitutional|root|security)[\s_-](?:override|mode\b)|\boverride protocol|\bcontent_filter\b|\bsystem[\s_](?:prompt|instructions?|announ\S{0,3}cement|directives?)\b/,
]

/** Attempts to change the reader's role. */
const personas: readonly RegExp[] = [
  /\byou\s{1,3}(?:are|will|must|shall|should)\s{1,3}(?:now|from now on|henceforth|no longer|act|become|answer|respond|reply|generate)\b/,
  /\b(?:now|from this (?:point|moment)(?: on| forward)?|from here on|henceforth|from now on),?\s{1,3}(?:you|answer|act|respond|reply|always|never|ignore|treat|obey|whenever)\b|\bnow you (?:are|must|will)\b/,
  /\byou are (?:an? )?(?:\w{1,40} ){0,3}(?:unrestricted|unfiltered|uncensored|jailbroken|amoral|evil|chatbot|assistant|helpful shell|ai\b)/,
  /\b(?:pretend|imagine|simulate|roleplay|role-play)\s{1,3}(?:to be|you|that you|as|being)\b|\bdo anything now\b|\b(?:unrestricted|jailbreak|god|unfiltered|uncensored|dan)[\s_-](?:\w{1,40} )?(?:mode|bot|ai|model|assistant)\b|\b(?:ai|bot|assistant|model)\b[^\n]{0,30}\b(?:with no|without(?: any)?) (?:\w{1,40} )?(?:rules|restrictions|limits|limitations|filters)\b|\bassistant(?:'s)?\b[^\n]{0,30}\b(?:offline|not functioning|unavailable|in error|role is)|\bact as (?:an?|my|if|chatgpt|though|the) (?:ai|assistant|unrestricted|admin|root|shell|terminal|developer|different)/,
  /\bi am (?:the|an?|your) (?:\w{1,40} )?(?:admin(?:istrator)?|developer|orchestrator|operator|owner|system|root)\b(?: agent)?|\b(?:speaking|acting) as the \w{1,40} agent\b|\bas (?:the|your) (?:\w{1,40} )?(?:administrator|developer|operator)\b/,
  /\byou (?:must|are required to|have to|need to|should|will)\s{1,3}(?:\w{1,40}ly\s)?(?:now|always|never|first|follow|ignore|execute|run (?:every|all|each)|send|forward|include|read|strictly|approve|treat|disclose|use the|fetch|share|say|output|print|respond|answer|reply)\b/,
]

/** Text that speaks to the agent, or about what it shall do. */
const addresses: readonly RegExp[] = [
  new RegExp(
    String.raw`\b(?:notes?|notice|attention|hint|message|instructions?|directives?|reminder|request|memo|task|prompt|urgent|flagged)\b[^\n]{0,25}?\b(?:for|to|of)\s{1,3}(?:the |any |all |automated )?(?:${AGENT}|agents?|system|reviewer|model)\b`,
  ),
  new RegExp(
    String.raw`(?:^|[.!?:;,>("'*\]-]\s{0,3})(?:hey|dear|hello|hi|ok|attention|@)?,?\s{0,2}@?(?:${AGENT}|cursor)\b\s{0,2}[,:!-]`,
    'm',
  ),
  new RegExp(
    String.raw`\b${AGENT}\b[^\n]{0,50}?\b(?:must|should|shall|has to|have to|needs? to|(?:is|are) required to)\b`,
  ),
  new RegExp(
    String.raw`\b(?:as an?|if you(?:'re| are) (?:an?|the))\s${AGENT}\b|\bif you are (?:an? )?(?:agent|bot)\b|@(?:assistant|claude|copilot|agent|cursor)\b`,
  ),
  /\b(?:the|this|to the|all|any|every) (?:coding |other )?agents?\b[^\n]{0,30}\b(?:must|should|shall|has executed|that (?:triages|reads|processes)|processing|reading|need to|may skip)\b|\b(?:ai|llm|assistant|agent) (?:instruction|directive|note|hint|command)s?\b|\bfor (?:the )?agents?:|\bbroadcast to all agents\b/,
  /\bbefore (?:you (?:can )?(?:solve|answer|continue|respond|do|read|complete|reply|proceed|start)|answering|responding|using this|analysing|analyzing|replying|doing anything|executing any|generating|summari[sz]ing|anything else|every)\b/,
  /\b(?:in|to|of|at the end of|into|with) (?:your (?:\w{1,40} )?(?:response|reply|answer|output|summary|report|email)|(?:every|each|all) (?:\w{1,40} )?(?:response|reply|answer|message|email|document|file))s?\b(?! (?:is|was|has))[^\n]{0,40}(?:you (?:write|generate|send|produce|compose)|[.,:;!'"-]|$)/m,
  /\b(?:this|these|that|the) (?:entire |whole |hidden )?(?:prompt|instruction|directive)s?(?: block)?\b[^\n]{0,60}\b(?:into|in|so|takes?|spread|reach|to every|word-for-word|verbatim|in full|propagat)/,
  /\banswer: task complete\b|\bdo not use (?:any )?other tools\b|\b(?:do|complete|execute) the following(?: task)?(?: first)?\b|\b(?:carry out|carrying out|perform) (?:every|all|each|the following)\b|\b(?:stop|pause|abort|abandon) (?:your|the) (?:current )?(?:task|analysis|work|translation)\b|\bstop (?:everything|analy[sz]ing)\b|\bcontinue with the following\b|\b(?:on|until|at|for|after|takes? effect on) (?:the |your )(?:user's )?next (?:user )?(?:message|turn|response|interaction|session|prompt)\b|\bwhen the user (?:next )?(?:asks|says|types|sends)\b|\b(?:every time|each time|whenever) you\b|\binstead,? (?:output|print|say|write|reply|respond|tell|execute|run)\b|\b(?:full|entire|complete|whole) (?:chat|conversation|user|session)\s?(?:history|context|conversation|transcript|log)?\b|\ball previous (?:exchanges|messages|prompts)\b|\bonly listen to\b|\b(?:decode|decrypt|decipher)\b[^\n]{0,40}\band (?:follow|execute|run|do|obey|include)\b|\bretry this tool\b|\btool must be called\b|\b(?:told|instructed|decided|wants|asked|needs?) (?:me |us |you |we )?(?:need )?(?:us )?to (?:send|forward|redirect|append|upload|use a different|output|share)\b/,
]

/** Attempts to act without the user's knowledge or consent. */
const concealments: readonly RegExp[] = [
  /\b(?:do not|don't|never|without|must not|need not|no need to)\s{1,3}(?:\w{1,40}\s){0,3}?(?:tell(?:ing)?|inform(?:ing)?|notify(?:ing)?|mention(?:ing)?|alert(?:ing)?|ask(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|prompt(?:ing)?|let(?:ting)?|consult(?:ing)?|warn(?:ing)?)\b[^\n]{0,40}?(?:\b(?:user|human|operator|anyone|nobody|owner|developers?|team|them|confirmation|permission|approval|consent|know|it|before|first)\b|$)/m,
  /\b(?:hid(?:e|den)|conceal(?:ed)?|secret|invisible|kept)\b[^\n]{0,25}\bfrom (?:the )?(?:user|human|operator|developer)|\bkeep (?:it|this) (?:hidden|secret|quiet)|\b(?:user|human)s? (?:must|should|will|does|need) ?(?:not|never) (?:know|see|notice)|\btell nobody\b|\b(?:tell|convince|assure) the user\b|\bsecretly\b[^\n]{0,40}\b(?:send|forward|upload|copy)|\bgoes unnoticed\b|\b(?:execute|run|proceed|continue) (?:silently|quietly)\b|\bsilently\b[^\n]{0,60}\b(?:send|forward|creates?|register|upload|install|copy|log)/,
  /\bwithout (?:(?:any|a|the|further|second|asking|user|explicit|prior) ){0,3}(?:confirm(?:ation|ing)|review(?:ing)?|consent|approval|prompting|asking|verification|verifying|checks|restrictions?)\b/,
  /\bpre-?approved\b|\b(?:has|have|been|was|were|is|are) already (?:\w{1,40} )?(?:approved|authori[sz]ed|agreed|confirmed|granted|consented|reviewed)\b|\bauto-?approve\b|\b(?:approve|grant|allow|accept)s? (?:all|any|every|everything|for all|the (?:release|gate|merge|request))\b|\b(?:approved|granted|certified|accepted|verified|authori[sz]ed) (?:this \w{1,40} )?by (?:anthropic|openai|the (?:user|operator|owner|team|lead|platform)|operator)/,
  /\b(?:grant|give)\s(?:me|this agent|full|elevated|root|admin|yourself)\b|\b(?:skip|bypass|disable|turn off|suppress|circumvent|remove) (?:the |all |any |your |these )?(?:\w{1,40} ){0,2}(?:confirmation|verification|review|tests|safety|security|safeguards?|guardrails?|protections?|content filters?|restrictions?|branch protection|authori[sz]ation|approval|two-factor|audit)\w{0,40}/,
  /\b(?:tool|all) (?:calls?|confirmations?|gates?|safeguards) (?:are|is) (?:approved|disabled|off|granted)\b|\ball (?:gates|tool calls|safeguards|checks) (?:are|have|passed)\b|\buser (?:has )?(?:already )?(?:approved|agreed|wants you|asked you|authori[sz]ed|confirmed)\b|\bconfirmation granted\b|\btrust (?:every|all|any|me)\b|\boverride granted\b/,
]

/** Instructions to reveal or send data that is not the sender's. */
const exfiltrations: readonly RegExp[] = [
  order(
    'send|post|forward|e-?mail|mail|upload|transmit|leak|share|append|include|copy|disclose|reveal|print|output|display|show|repeat|dump|extract|read|fetch|retrieve|collect|embed|encode|place|render|recite|log|paste|tell|access',
    `(?:${OBJECT})[^\\n]{0,100}?${SENSITIVE}`,
  ),
  // Ordinary messages ask a person to provide an API key, but never for all of them.
  order(
    'get|give|provide|submit|write|add|list|return|generate|download|find|use',
    `\\s{1,3}(?:all|any|every|my|us|me|them|everything|both|entire|full|process\\.|os\\.|~)[^\\n]{0,100}?${SENSITIVE}`,
  ),
  order(
    'send|post|forward|e-?mail|mail|upload|transmit|share|append|copy|deliver|exfiltrate|log|redirect',
    `(?:${OBJECT})[^\\n]{0,140}?\\b(?:to|at|on|with)\\s(?:[\\w' -]{0,40})?(?:https?://|[\\w.+-]{1,64}@[\\w-]|attacker|external|pastebin|webhook|//\\d|[\\w-]{1,80}\\.(?:com|net|org|io|example)\\b)`,
  ),
  order(
    'send|forward|e-?mail|transfer|make|initiate',
    `\\s(?:as much|all|a payment|a transfer|money|the user|\\$)[^\\n]{0,80}\\b(?:to|from|of)\\b`,
  ),
  /\bexfiltrat|\bwhat is (?:your|the) (?:remembered )?(?:secret|password|api key|system prompt)\b|\brepeat (?:everything|the text|all|what) (?:above|was|i|before|you)|\bmy secret key is:/,
  /\bcurl\b[^\n]{0,150}\s(?:-d\b|-d@|--data\S{0,10}|-t\b|-f\b|--upload-file|-x post)[\s@"'$-]|\bwget\b[^\n]{0,60}--post|\|\s{0,2}(?:nc|ncat|curl|wget)\b|\/dev\/tcp\/|\$\((?:whoami|pwd|cat|env|id|hostname|printenv)\b|\b(?:env|printenv)\s?\|\s?\w|\bdeno run\b[^\n]{0,30}https?:|\b(?:cat|base64|xxd|tar|less|tee|echo)\b[^\n|]{0,60}(?:\.ssh|\.aws|\.env|\/etc\/(?:passwd|shadow)|\.kube|\.npmrc|credentials|\/environ\b|\$[a-z_]{0,40}(?:key|token|secret))/,
]

/** Commands, and sentences that ask for one to be run. */
const commands: readonly RegExp[] = [
  /\b(?:curl|wget|iwr|invoke-webrequest)\b[^\n|]{0,200}\|\s{0,2}(?:sudo\s)?(?:(?:ba|z|da|k)?sh|python3?|node|perl|iex|tee)\b|<\(curl|\$\((?:curl|wget)\b|\bwget\b[^\n]{0,80}&&\s?(?:ba)?sh|\bcurl\b[^\n]{0,80}&&\s?(?:ba)?sh/,
  /\bbase64\s{1,3}(?:-d|--decode)\b[^\n]{0,40}\||\brm\s{1,3}-(?:rf|fr)\s|\bsudo\s{1,3}(?:rm|bash|sh|apt|npm|pip|chmod|make|dd|curl|su|cat)\b|\bbash -[ci] |\bpowershell\b[^\n]{0,60}\s-(?:e|enc|ep|executionpolicy|c|command)\b|\biex\b|\bchmod \+x\b|\bnc -e\b|\b(?:python3?|node|perl|ruby) -[ce] ["'\\]{1,3}[^\n]{0,80}(?:exec|url|system|socket|child_process)|\bauthorized_keys\b|\.bashrc\b/,
  order(
    'run|execute|launch|re-?run|paste|type|try',
    `\\s{1,3}(?:\\w{1,40}\\s){0,3}?[\`"'(]?(?:npx|uvx|bunx|curl|wget|sudo|bash|sh|powershell|docker run|deno run|python3? -[cm]|env \\||git (?:remote|push|pull \\w)|rm|chmod|make deploy|printenv)\\b`,
  ),
  order(
    'run|execute|launch|perform|apply|carry out|perform',
    `\\s{1,3}(?:the|this|these|every|all|each|any|following|that|it|whatever|below)\\b[^\\n]{0,30}?\\b(?:commands?|scripts?|installer|instructions?|patch|diagnostic|actions?|above|below|in this (?:trace|error)|with sudo|operations?|task|from the (?:stack|link)|now)\\b`,
  ),
  order(
    'run|execute',
    `\\s{1,3}(?:all|eval|rm|the terminal|a shell|the following|this tool|this query|everything|npm (?:publish|run)|the tests with)\\b`,
  ),
  /\b(?:next|diagnostic|required|recovery|remediation|resolution)(?: diagnostic)? (?:step|procedure|script|tool|command)s?\b[^\n]{0,60}?[:,]\s{0,3}[`"']?(?:run|execute|npx|uvx|curl|pip|npm|sh|bash|python|powershell|docker|yarn|git|open)\b/,
  order('open|fetch|browse|download', `\\s{1,3}(?:the link |the page |and run )?[\`"']?https?://`),
  order(
    'delete|remove|drop|disable|wipe|erase|destroy',
    `\\s{1,3}(?:the|this|all|every|any)\\s(?:\\w{1,40}\\s){0,3}?(?:branch(?:es)?|tests?|lockfile|databases?|records?|firewall|logs?|tables?|issues?|documents?|policy|user|backups?|evidence)\\b`,
  ),
]

/** Tool calls, and changes to what an agent can change. */
const calls: readonly RegExp[] = [
  /\b(?:use|call|invoke|using|calls?|trigger) (?:the |a |this |our )?["'`[(]?[\w.-]{2,40}["'`\])]?(?: mcp)? tool\b|\b(?:use|call|invoke) (?:search|send|create|get|delete|read|write|set|merge|approve|accept|record)_\w{1,40}|\bjust use this tool\b|\bthis tool (?:must|should|has to|is required)\b|\btool[_ -]calls?\b|\bwhen (?:using|calling) this tool\b|\busing this tool\b/,
  /\b(?:set_error_issue_status|accept_gate_risk|approve_gate_risk|merge_quality_branch|start_agent_run|record_tests|distill_intent|delete_(?:branch|requirement|test|component|environment|release|agent_config|source_map)\w{0,40})\b|"?next_actions"?\s{0,2}:|\bnext:\s{1,3}-/,
  /"method"\s{0,2}:\s{0,2}"(?:tools\/call|sampling\/createmessage)"|"type"\s{0,2}:\s{0,2}"tool_use"|<\/?(?:tool_call|function_calls?|invoke|tool_use|antml)\b|"(?:tool|function|tool_name|name)"\s{0,2}:\s{0,2}"[\w.-]{1,60}"\s{0,2},\s{0,2}"(?:arguments|args|input|parameters)"|\bmcp_?servers?"?\s{0,2}[:=]|\bfunctions\.\w{1,40}\(\{|\btool_call\(/,
  /\bmcp\.json\b|\.cursorrules\b|\b(?:claude|agents)\.md\b|\bcopilot[-/]instructions|\.claude\/|\bclaude_desktop_config|\.copilot\/|\bproject rules file\b/,
  /\b(?:mark|set|move)\b[^\n]{0,60}?\b(?:as|to) (?:resolved|ignored|fixed|approved|closed|done)\b|\b(?:approve|accept|merge|resolve|close|ignore) (?:the|this|all|every|any|each|open)\b[^\n]{0,30}?\b(?:issues?|gates?|risks?|branch(?:es)?|pull requests?|operations?|requests?)\b|\bcommit directly\b|\bpush directly\b|\bpush --(?:force|mirror|all)\b|\bpush \w{1,40} --(?:force|mirror|all)\b/,
]

const roles: readonly RegExp[] = [
  /<\|[\w\s]{2,40}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:start|end)_of_turn>/,
  /<\/?(?:system|assistant|human|developer|operator|instructions?|important|critical|information|system[-_](?:reminder|message|prompt|mode)|tool_(?:result|output|response)|error_event)(?:\s[^>\n]{0,60})?>|<\/user>|<user>[^\n]{0,30}(?:run|now|send|after)/,
  /^\s{0,3}(?:#{1,8}\s{0,2})?[([]?(?:system|assistant|human|developer)(?:[_ ](?:message|prompt|override|note))?[)\]]?\s{0,2}[:\]]\s{0,3}\S/m,
  /[[【(](?<=(?:^|[\s"'#>([{*])[[【(])(?:system|admin|operator|assistant|developer|root|tool output|系统|系統|시스템|シス템)[^\]】)\n]{0,30}[\]】)]/m,
  /["']role["']\s{0,2}:\s{0,2}["'](?:system|assistant|user|developer|tool)["']|(?:^|\s)role\s{0,2}=\s{0,2}(?:system|unrestricted)/m,
  /<\/?\s{0,3}untrusted|‹\/?untrusted|\bend of (?:the |this )?(?:untrusted|error (?:report|data)|event|document|email|tool)|\b(?:begin|end) system\b|[-=]{3}\s?end (?:of|untrusted|tool)|\bhuman:[\s\S]{0,300}?\bassistant:|[-=#%]{3}\s?end \w{1,40}|\[\[(?:start|end)[- ]of\b/,
  /^\s{0,3}#{1,6}\s{0,3}\(?(?:system|human|assistant|user|system_message)\b/m,
]

/** Commands that install a package, or run one directly from a registry. */
const installs: readonly RegExp[] = [
  /\b(?:npx|uvx|bunx|pnpx|(?:pnpm|yarn) dlx)\s{1,3}(?:-\S{1,20}\s{1,3}){0,4}[@a-z][\w@/.-]/,
  /\b(?:npm\s(?:i|install|add)|yarn add|pnpm (?:add|i|install)|bun add|pip3?\sinstall|pipx install|gem install|cargo install|go install|brew install|apt(?:-get)? install|composer require|conda install|uv (?:pip install|add))\s{1,3}(?:-{1,2}[\w-]{1,30}(?:[=\s]https?:\S{1,200})?\s{1,3}){0,4}(?!-)[@a-z][\w@/.:-]{2,}/,
]

export const patterns: readonly FlagPattern[] = [
  ...all('command_like', 'strong', [
    ...overrides,
    ...personas,
    ...addresses,
    ...concealments,
    ...exfiltrations,
    ...commands,
    ...calls,
    ...otherLanguages,
  ]),
  ...all('install_instruction', 'strong', installs),
  ...all('install_instruction', 'weak', [
    /\b(?:npm|pnpm|yarn|bun|pip3?|gem|cargo|bundle|composer)\s(?:install|ci|rebuild|update|i)\b|\binstall\s(?:the|it|them|this)\b/,
  ]),
  ...all('command_like', 'weak', [
    /\b(?:run|execute|try running|please run)\s[`"']?(?:npm|yarn|pnpm|git|pip|make|node|cargo|docker|brew)\s\w/,
  ]),
  ...all('role_marker', 'strong', roles),
  ...all('markdown_heading', 'strong', [
    /^\s{0,3}#{1,6}\s{1,3}(?:\w{1,40}\s){0,3}?(?:resolution|solution|fix|remediation|instructions?|next steps?|actions? required|required actions?|task|important|steps?)\b(?:[^\n]{0,20}$|\s?:)/m,
  ]),
  ...all('markdown_heading', 'weak', [/^\s{0,3}#{1,6}\s{1,3}\S/m]),
  ...all('url', 'strong', [
    /!\[[^\]\n]{0,100}\]\(\s{0,2}(?:https?|javascript|data):|\]\(\s{0,2}(?:javascript|data):|\]\(https?:[^)\s]{0,200}[?&]\w{0,20}(?:data|secret|token|key|leak|payload|info)\w{0,20}=|^data:text\/html/m,
  ]),
  ...all('url', 'weak', [/\b(?:https?|ftp|wss?):\/\/\S/]),
]

function all(kind: FlagKind, strength: Strength, list: readonly RegExp[]): FlagPattern[] {
  return list.map((pattern) => ({ kind, strength, pattern }))
}
