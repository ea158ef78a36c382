import { changeOnboarding, readAccount } from '../workspace/account.ts'
import type { Handlers } from '../shared/context.ts'

/** Handlers of auth/me and onboarding; `version` is the version of this program. */
export function accountHandlers({ version }: { version: string }) {
  return {
    async getMe(_input, { db, principal }) {
      const server = { name: 'tracegate', version, mode: 'embedded' as const, api_version: 'v1' }
      return { ...(await readAccount(db.read, principal)), server }
    },

    async updateOnboarding({ onboarding: change }, call) {
      return { onboarding: await call.db.write((rows) => changeOnboarding(rows, call, change)) }
    },
  } satisfies Handlers<'getMe' | 'updateOnboarding'>
}
