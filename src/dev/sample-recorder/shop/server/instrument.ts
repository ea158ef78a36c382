import * as Sentry from '@sentry/node'
import { release } from '../support/release.ts'

// Imported first, so that the reporter is there before anything can fail.
const { SENTRY_DSN, SHOP_ENVIRONMENT, SHOP_SERVER } = process.env

Sentry.init({
  ...(SENTRY_DSN && { dsn: SENTRY_DSN }),
  ...(SHOP_SERVER && { serverName: SHOP_SERVER }),
  environment: SHOP_ENVIRONMENT ?? 'development',
  release,
  // Every order that fails counts, also when it fails like the one before.
  integrations: (defaults) => defaults.filter((integration) => integration.name !== 'Dedupe'),
})
