import { agentTypes } from '../../../src/service/agents/types/list.ts'
import type { AgentContext, AgentResult, EventData, Progress } from '../../../src/service/agents/define.ts'
import { createSymbolicator } from '../../../src/service/errors/sourcemaps/symbolicate/symbolicator.ts'
import { sourceMapFolders } from '../../../src/service/errors/sourcemaps/uploads/folders.ts'
import { systemPlatform } from '../../../src/service/shared/platform.ts'
import type { App } from '../../app.ts'

export interface TypeRun extends AgentResult {
  /** What the run wrote as events, in order. */
  events: { type: 'PROGRESS' | 'LOG' | 'WARNING' | 'FINDING' | 'ACTION'; message: string; data: EventData }[]
}

interface TypeRunOptions {
  /** Epoch milliseconds; default the time of the machine. */
  now?: number
  previous?: unknown
  /** Called at each report of progress; throwing ends the run, as a cancellation does. */
  onProgress?: (progress: Progress) => void
}

/**
 * Runs an agent type on the app's first product without the engine, and checks input and output against its schemas.
 * Tests of the types use it; those of the engine go through the endpoints.
 */
export async function runType(
  app: App,
  id: string,
  input: Record<string, unknown> = {},
  { now = Date.now(), previous = null, onProgress }: TypeRunOptions = {},
): Promise<TypeRun> {
  const type = agentTypes.find((each) => each.id === id)
  if (type === undefined) throw new Error(`no agent type ${id}`)
  const rows = app.db.read
  const product = await rows.selectFrom('product').selectAll().orderBy('id').executeTakeFirstOrThrow()
  const user = await rows.selectFrom('user').selectAll().executeTakeFirstOrThrow()
  const symbolicator = createSymbolicator({ db: app.db, tables: sourceMapFolders(app.dataDir).tables })
  const events: TypeRun['events'] = []
  const write =
    (type: TypeRun['events'][number]['type']) =>
    (message: string, data: EventData = {}) => {
      events.push({ type, message, data })
      return Promise.resolve()
    }
  const context: AgentContext = {
    product,
    rows,
    now,
    previous,
    call: {
      ...systemPlatform,
      now: () => now,
      symbolicator,
      principal: {
        userId: user.id,
        displayName: user.display_name,
        tokenId: 'a token',
        tokenName: 'agent run',
        tokenKind: 'agent',
        scopes: new Set(['read', 'write', 'agents:run']),
        workspaceIds: [product.workspace_id],
      },
      actor: { type: 'ACTOR_TYPE_AGENT', id: 'a run', display_name: type.title, user_id: user.id },
      via: '',
      byAgent: true,
      endpoint: 'startAgentRun',
      origin: '',
      validateOnly: false,
    },
    progress: async (progress) => {
      onProgress?.(progress)
      await write('PROGRESS')(progress.phase, { ...progress })
    },
    log: write('LOG'),
    warn: write('WARNING'),
    finding: write('FINDING'),
  }
  try {
    const end = await type.run(context, type.input.parse(input))
    const result =
      'commit' in end
        ? await app.db.write((inTransaction, prepare) =>
            end.commit({
              rows: inTransaction,
              prepare,
              action: (message, data) => void write('ACTION')(message, data),
              finding: (message, data) => void write('FINDING')(message, data),
            }),
          )
        : end
    type.output.parse(result.output)
    return { ...result, events }
  } finally {
    symbolicator.close()
  }
}
