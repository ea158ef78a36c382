/**
 * Code of the engine, which has no file of the team: `[native code]`, `<anonymous>`, `self-hosted`, `Promise.all (index 2)`,
 * and the functions of Hermes that are bytecode themselves.
 */
export function isNative(path: string): boolean {
  return /^(?:native|\[native code\]|<anonymous>|self-hosted(?::.*)?|index \d+|(?:app:\/\/\/|address at )?InternalBytecode\.js)$/.test(
    path,
  )
}

// The modules that webpack makes up are named without a file extension; a team's own folder may be called `webpack`.
const WEBPACK = 'webpack/(?:bootstrap|runtime|(?:before-|after-)?startup|universalModuleDefinition|container|sharing)'

const VENDORED = new RegExp(
  [
    '(?:^|[/\\\\])(?:node_modules|bower_components)[/\\\\]',
    '^node:|^\\(webpack\\)',
    // Hosts that serve packages and nothing else.
    '^https?://(?:unpkg\\.com|cdnjs\\.cloudflare\\.com|cdn\\.jsdelivr\\.net/npm|esm\\.(?:run|sh))/',
    `^(?:webpack[\\w-]*://(?:@[^/]+/)?[^/]*/(?:\\./)?)?${WEBPACK}(?:[ /?][^.]*)?$`,
    '^webpack[\\w-]*:.*/(?:~/|\\(webpack\\))',
    // Modules that other bundlers make up.
    '^(?:turbopack:(?://)?/?)?\\[turbopack\\]/',
    '(?:^|/)(?:vite/(?:preload-helper|modulepreload-polyfill)|_?commonjsHelpers)\\b',
  ].join('|'),
)

/**
 * JavaScript from outside the team's code: packages, Node's own modules, the bundler's runtime. Never a path that a
 * repository may have, such as `internal/cart.go` or `webpack/config.js`.
 */
export function isVendored(path: string): boolean {
  return VENDORED.test(path)
}

/**
 * The path without empty and dot segments, without a drive and without a slash at its start. A `..` that would leave
 * the root is dropped.
 */
export function resolvePath(path: string): string {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.' || (segments.length === 0 && /^[a-z]:$/i.test(segment))) continue
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  return segments.join('/')
}
