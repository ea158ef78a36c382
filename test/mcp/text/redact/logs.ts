/**
 * Lines that ordinary programs log, without any secret or personal address in them. Each kind of program has lines with
 * places for ids, hashes, times and the like, which a fixed sequence of numbers fills.
 */
const programs: Readonly<Record<string, readonly string[]>> = {
  nginx: [
    '127.0.0.1 - - [{date}] "GET /api/orders/{int} HTTP/1.1" 200 {int} "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/{int}.0.0.0 Safari/537.36"',
    '127.0.0.1 - - [{date}] "POST /login?next=%2Fcart HTTP/2.0" 401 {int} "https://shop.example/login" "curl/8.{int}.0"',
    '{time} [error] {int}#{int}: *{int} open() "/usr/share/nginx/html/{word}.html" failed (2: No such file or directory)',
    '{time} [warn] {int}#{int}: an upstream response is buffered to a temporary file /var/cache/nginx/proxy_temp/{int}/{int}',
  ],
  node: [
    'Server listening on http://localhost:{port}',
    "TypeError: Cannot read properties of undefined (reading '{word}')",
    '    at {Word}.{word} (src/{word}/{word}.ts:{int}:{int})',
    'UnhandledPromiseRejection: {"code":"ERR_{WORD}","requestId":"{uuid}","status":{int}}',
    'JsonWebTokenError: invalid signature',
    'TokenExpiredError: jwt expired',
    'ValidationError: password is required, token must be a string',
    'express-session deprecated undefined resave option; provide resave option app.js:{int}:{int}',
    'warn: max_tokens={int} token_count: {int} prompt_tokens={int}',
    'SyntaxError: Unexpected token: punc (}) in JSON at position {int}',
    'csrf token mismatch for {method} /{word}/{int}',
  ],
  npm: [
    'npm ERR! code E{WORD}',
    'npm warn deprecated {word}-{word}@{ver}: use {word} instead',
    'added {int} packages, and audited {int} packages in {int}s',
    "npm error Invalid: lock file's {word}@{ver} does not satisfy {word}@{ver}",
    '"integrity": "sha512-{b64}{b64}=="',
    'npm_config_registry=https://registry.npmjs.org/ npm_lifecycle_event=test',
    '> {word}@{ver} test\n> vitest run --reporter=dot',
  ],
  git: [
    'commit {sha}',
    'Author: build <noreply>',
    '{short}..{short}  main -> origin/main',
    'HEAD is now at {short} Fix the {word} of the {word}',
    'diff --git a/src/{word}.ts b/src/{word}.ts\nindex {short}..{short} 100644',
    "Merge branch '{word}/{word}-{int}' into main",
    "fatal: could not read Username for 'https://github.com': terminal prompts disabled",
    'remote: Resolving deltas: 100% ({int}/{int}), done.',
  ],
  containers: [
    'pod/{word}-{short}-x{int}z created',
    'Warning  BackOff  {int}s (x{int} over {int}m)  kubelet  Back-off restarting failed container {word} in pod {word}-{short}',
    'sha256:{sha}{sha24}: Pulling from library/{word}',
    'Successfully built {short}\nSuccessfully tagged {word}:{ver}',
    'MountVolume.SetUp failed for volume "{word}-secret" : secret "{word}-tls" not found',
    'level=info ts={iso} caller=main.go:{int} msg="starting {word}" version={ver}',
    'kubectl create secret generic {word} --from-file=./{word}.pem',
    'E{int} {time} {int} reflector.go:{int}] k8s.io/client-go: Failed to list *v1.Secret: secrets is forbidden',
  ],
  postgres: [
    '{time} UTC [{int}] LOG:  duration: {int}.{int} ms  statement: SELECT id, name FROM {word} WHERE id = {int}',
    '{time} UTC [{int}] ERROR:  duplicate key value violates unique constraint "{word}_pkey"',
    'DETAIL:  Key (order_id)=({int}) already exists.',
    'FATAL:  password authentication failed for user "{word}"',
    "INSERT INTO {word} (id, state) VALUES ('{uuid}', 'open')",
    "UPDATE {word} SET state = 'done', updated_at = now() WHERE id = '{uuid}'",
    'ALTER TABLE users ADD COLUMN password_hash text NOT NULL',
  ],
  python: [
    'Traceback (most recent call last):',
    '  File "/app/{word}/{word}.py", line {int}, in {word}',
    "KeyError: '{word}'",
    '[{iso}: INFO/MainProcess] Task {word}.tasks.{word}[{uuid}] succeeded in {int}.{int}s: None',
    'django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.',
    'pip install {word}=={ver} requests=={ver}.1',
    'requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://api.shop.example/v1/{word}',
    'DeprecationWarning: parameter token is deprecated, use credentials instead',
  ],
  java: [
    '{time} INFO  [main] c.a.{word}.{Word}Application : Started {Word}Application in {int}.{int} seconds',
    'java.lang.NullPointerException: Cannot invoke "com.acme.{Word}.{word}()" because "{word}" is null',
    '\tat com.acme.{word}.{Word}Service.{word}({Word}Service.java:{int})',
    'Caused by: org.springframework.security.authentication.BadCredentialsException: Bad credentials',
    'HikariPool-1 - Connection is not available, request timed out after {int}ms (total={int}, active={int}, idle=0)',
    '{time} DEBUG o.s.security.web.FilterChainProxy : Securing {method} /{word}/{int}',
    'o.s.s.w.a.w.BasicAuthenticationFilter : Basic Authentication Authorization header not found',
  ],
  go: [
    '--- FAIL: Test{Word}/{word}_{int} (0.{int}s)',
    '    {word}_test.go:{int}: got {int}, want {int}',
    'ok  \tgithub.com/acme/{word}\t0.{int}s\tcoverage: {int}.{int}% of statements',
    'panic: runtime error: index out of range [{int}] with length {int}',
    'goroutine {int} [running]:\nmain.{word}(0x{hex16}, {int})\n\t/src/{word}/main.go:{int} +0x{hex4}',
    'go: downloading golang.org/x/{word} v{ver}',
  ],
  browser: [
    'Uncaught (in promise) ChunkLoadError: Loading chunk {int} failed. (https://shop.example/assets/{word}.{short}.js)',
    "Access to fetch at 'https://api.shop.example/{word}' from origin 'https://shop.example' has been blocked by CORS policy",
    '{"category":"fetch","data":{"method":"GET","url":"/api/{word}/{int}","status_code":{int}}}',
    'Cookie “{word}” has been rejected because it is in a cross-site context and its “SameSite” is “Lax”.',
    'localStorage key: cart:{int}, size: {int}',
    'ui.click button#{word} > span.sk-fading-circle',
    'Failed to load resource: the server responded with a status of {int} ()',
  ],
  ci: [
    '##[group]Run actions/checkout@v{int}',
    'Run echo "token is masked: ***"',
    '{iso} Restored cache for key: linux-npm-{sha}',
    'Tests  {int} passed | {int} failed ({int})',
    '# pass {int}\n# fail 0\n# duration_ms {int}.{int}',
    'pass: {int}, fail: {int}, skip: 0',
    "::warning file=src/{word}.ts,line={int}::'{word}' is defined but never used",
    'not ok {int} - rejects a wrong password: expected 401, got {int}',
    'Artifact {word}.zip has been successfully uploaded! Artifact ID is {int}',
  ],
  system: [
    'Nov 22 {clock} host systemd[1]: Started {word}.service - {Word}.',
    'Nov 22 {clock} host sshd[{int}]: Failed password for invalid user {word} from 127.0.0.1 port {port} ssh2',
    'Nov 22 {clock} host kernel: [{int}.{int}] usb 1-{int}: new high-speed USB device number {int} using xhci_hcd',
    'Nov 22 {clock} host sudo: pam_unix(sudo:auth): authentication failure; logname= uid={int} euid=0',
    'Nov 22 {clock} host CRON[{int}]: (root) CMD (/usr/local/bin/{word}.sh)',
    'brw-rw---- 1 root disk 8, {int} Nov 22 {clock} /dev/sda{int}',
  ],
  queues: [
    '[{iso}] INFO [GroupCoordinator {int}]: Member {word}-{uuid} in group {word} has left',
    '{int}:M 22 Nov 2026 {clock}.{int} * Background saving terminated with success',
    'ReplyError: WRONGPASS invalid username-password pair or user is disabled.',
    'NOAUTH Authentication required.',
    'partition={int} offset={int} key={word}-{int} traceId={hex32} spanId={hex16}',
    'job {uuid} of queue {word} failed after {int} attempts: timeout of {int}ms exceeded',
  ],
  builds: [
    'dist/assets/{word}-{b8}.js  {int}.{int} kB │ gzip: {int}.{int} kB',
    'webpack {ver} compiled successfully in {int} ms',
    "src/{word}.ts({int},{int}): error TS{int}: Property 'password' does not exist on type '{Word}'.",
    'aws_iam_access_key.{word}: Creation complete after {int}s [id={word}]',
    'Terraform will perform the following actions: {int} to add, {int} to change, 0 to destroy.',
    'const token = req.headers.token; if (token === undefined) return getToken({int})',
    'interface Login {{ password: string; token?: Token; apiKey: string | undefined }',
    'event {hex32} of release {word}@{ver} build {int}, dist {int}, debug id {uuid}',
  ],
}

const nouns =
  'cart order invoice payment user search basket mailer worker gateway billing report export compass author passenger tokenizer keyboard session'.split(
    ' ',
  )
const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const

/** So many lines of each program in turn. */
export function logLines(count: number): string[] {
  const next = numbers()
  const lines = Object.values(programs).flat()
  return Array.from({ length: count }, (_, index) => fill(lines[index % lines.length] ?? '', next))
}

export const PROGRAMS = Object.keys(programs).length

/** Numbers from 0 to 1, the same in every run. */
function numbers(): () => number {
  let state = 20_261_122
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function fill(line: string, next: () => number): string {
  const from = (characters: string, count: number) =>
    Array.from({ length: count }, () => characters.charAt(Math.floor(next() * characters.length))).join('')
  const hex = (count: number) => from('0123456789abcdef', count)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const int = (max: number) => String(Math.floor(next() * max))
  const word = () => nouns[Math.floor(next() * nouns.length)] ?? ''
  const two = () => int(60).padStart(2, '0')
  const places: Readonly<Record<string, () => string>> = {
    int: () => int(10 ** (1 + Math.floor(next() * 5))),
    port: () => int(65_535),
    ver: () => `${int(20)}.${int(40)}.${int(90)}`,
    word,
    Word: () => word().replace(/^./, (first) => first.toUpperCase()),
    WORD: () => word().toUpperCase(),
    uuid: () => [8, 4, 4, 4, 12].map(hex).join('-'),
    sha: () => hex(40),
    sha24: () => hex(24),
    short: () => hex(7),
    hex4: () => hex(4),
    hex16: () => hex(16),
    hex32: () => hex(32),
    b64: () => from(`${letters}+/`, 43),
    b8: () => from(`${letters}_-`, 8),
    method: () => methods[Math.floor(next() * methods.length)] ?? '',
    date: () => `22/Nov/2026:${two()}:${two()}:${two()} +0000`,
    time: () => `2026-11-22 1${int(10)}:${two()}:${two()}.${int(1000)}`,
    clock: () => `1${int(10)}:${two()}:${two()}`,
    iso: () => `2026-11-22T1${int(10)}:${two()}:${two()}.${int(1000)}Z`,
  }
  return line.replaceAll(/\{(\w+)\}/g, (whole, name: string) => places[name]?.() ?? whole)
}
