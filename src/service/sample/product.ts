/** The sample product as the first start creates it: POST bodies without ids. */
export const sampleProduct = {
  name: 'Tracegate Sample Shop',
  slug: 'sample-shop',
  key_prefix: 'SHOP',
  description: 'A small web shop for tea, coffee and pottery: a Node API and a browser front end, both with real bugs.',
  repository: {
    url: 'https://git.example/tracegate/sample-shop',
    default_branch: 'main',
    root_path: '',
    // The folder of the running shop's files.
    path_strip_prefixes: [
      '/srv/shop/',
      'https://shop.example/',
      'https://staging.shop.example/',
      'https://development.shop.example/',
    ],
    test_globs: ['test/**/*.test.ts', 'e2e/**/*.spec.ts'],
  },
}

const team = (ref: string) => [{ kind: 'OWNER_KIND_TEAM' as const, ref }]

/** The parts of the shop, who owns them and what it costs when they fail. */
export const sampleComponents = [
  {
    name: 'Checkout and payment',
    description: 'From the cart to a paid and confirmed order.',
    path_globs: ['src/checkout/**', 'src/payment/**', 'src/web/checkout-form.ts'],
    criticality: 'RISK_LEVEL_CRITICAL' as const,
    owners: team('payments'),
  },
  {
    name: 'Cart and pricing',
    description: 'Cart, prices, discount codes, tax.',
    path_globs: ['src/cart/**', 'src/pricing/**', 'src/web/cart-view.ts'],
    criticality: 'RISK_LEVEL_HIGH' as const,
    owners: team('pricing'),
  },
  {
    name: 'Catalogue and search',
    description: 'Articles, price lists, search and recommendations.',
    path_globs: ['src/catalogue/**', 'src/search/**', 'src/web/{product-list,search-box,recommendations}.ts'],
    criticality: 'RISK_LEVEL_MEDIUM' as const,
    owners: team('catalogue'),
  },
  {
    name: 'Stock and shipping',
    description: 'Warehouses, carriers, delivery days.',
    path_globs: ['src/inventory/**', 'src/shipping/**'],
    criticality: 'RISK_LEVEL_HIGH' as const,
    owners: team('logistics'),
  },
  {
    name: 'Shop API',
    description: 'The Node server, sessions and background jobs.',
    path_globs: ['src/server/**', 'src/session/**', 'src/support/**'],
    criticality: 'RISK_LEVEL_HIGH' as const,
    owners: team('platform'),
  },
  {
    name: 'Storefront',
    description: 'What the browser runs.',
    path_globs: ['src/web/**'],
    criticality: 'RISK_LEVEL_MEDIUM' as const,
    owners: team('storefront'),
  },
]

export const sampleEnvironments = [
  { name: 'production', kind: 'ENVIRONMENT_KIND_PRODUCTION' as const, description: 'shop.example' },
  { name: 'staging', kind: 'ENVIRONMENT_KIND_STAGING' as const, description: 'staging.shop.example' },
  { name: 'development', kind: 'ENVIRONMENT_KIND_DEVELOPMENT' as const, description: 'Machines of the developers' },
]

export interface SampleRelease {
  version: string
  environment: string
  commit_sha: string
  git_branch: string
  /** Time of the release, before the newest event. */
  released_offset_ms: number
}

/** Every release in every environment, oldest first. */
export const sampleReleases: readonly SampleRelease[] = [
  ...rollOut('shop@1.3.0', 'c1f0a8d27b3e4956a0d1e2f3948576b0c1d2e3f4', {
    development: 14,
    staging: 13,
    production: 12,
  }),
  ...rollOut('shop@1.4.0', '7be94d10f2a35c68914b0de7f6a3c2815d4e9f07', { development: 9, staging: 8, production: 7 }),
  ...rollOut('shop@1.4.1', 'e25d6c03b7814fa9d0c3b2a1968f7e5d4c3b2a19', { development: 4, staging: 3, production: 2 }),
].toSorted((left, right) => left.released_offset_ms - right.released_offset_ms)

function rollOut(version: string, commit_sha: string, daysAgo: Record<string, number>): SampleRelease[] {
  return Object.entries(daysAgo).map(([environment, days]) => ({
    version,
    environment,
    commit_sha,
    git_branch: 'main',
    released_offset_ms: -days * 86_400_000,
  }))
}
