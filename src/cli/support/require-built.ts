import { ConfigError, type Config } from '../../config.ts'

/** Throws for settings of a part that this version does not have, before anything is opened. */
export function requireBuilt({ databaseUrl, baseUrl }: Pick<Config, 'databaseUrl' | 'baseUrl'>): void {
  if (databaseUrl === undefined || baseUrl !== undefined) return
  throw new ConfigError(
    'TRACEGATE_DATABASE_URL: this version stores in SQLite only; unset it to use the data directory',
  )
}
