import * as Sentry from '@sentry/browser'
import { release } from '../support/release.ts'

const meta = (name: string) => document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content

// Imported first, so that the reporter is there before anything can fail.
Sentry.init({
  dsn: meta('shop-reports') ?? '',
  environment: meta('shop-environment') ?? 'development',
  release,
})
Sentry.setTags({ page: location.pathname, language: document.documentElement.lang })
