import type { Rows } from '../../sql/database.ts'
import { isExposed } from '../../workspace/releases/rules.ts'
import type { GateScope } from '../scope.ts'

/** Whether the environment whose errors are judged, the named one or that of the release, is in neither production nor staging. */
export async function isUnexposed(rows: Rows, { environmentId, releaseId }: GateScope): Promise<boolean> {
  if (environmentId === '' && releaseId === '') return false
  const place = await rows
    .selectFrom('environment')
    .select('kind')
    .$if(environmentId !== '', (of) => of.where('id', '=', environmentId))
    .$if(environmentId === '', (of) =>
      of.where('id', '=', (eb) =>
        eb.selectFrom('release').select('environment_id').where('release.id', '=', releaseId),
      ),
    )
    .executeTakeFirst()
  return place !== undefined && !isExposed(place)
}
