import { ServiceError } from '../../errors.ts'
import { clean, inOneLine } from '../../lib/outside-text/clean.ts'
import type { Writing } from '../shared/context.ts'
import type { Rows } from '../sql/database.ts'
import { audit } from './audit.ts'
import { slugify } from './products.ts'

/** A person as `tracegate admin` lists them. */
export interface KnownUser {
  id: string
  email: string
  display_name: string
}

/**
 * Makes a person who is a member of every workspace, and resolves to them. Throws `already_exists` where the name or the
 * address is taken, because four eyes are told apart by person.
 */
export async function addUser(
  rows: Rows,
  call: Writing,
  { name, email }: { name: string; email: string | undefined },
): Promise<KnownUser> {
  const user = { id: call.newId(), email: email ?? `${slugify(name)}@localhost`, display_name: name }
  const taken = (await listUsers(rows)).find(
    (one) => asShown(one.display_name) === asShown(name) || one.email === user.email,
  )
  if (taken !== undefined) {
    const message = `there is a user ${taken.display_name} (${taken.email}) already; choose another name or address`
    throw new ServiceError('already_exists', message, { metadata: { existing_id: taken.id } })
  }
  await rows
    .insertInto('user')
    .values({ ...user, onboarding_updated_at: null, created_at: call.now() })
    .execute()
  for (const { id } of await rows.selectFrom('workspace').select('id').execute()) {
    const member = { workspace_id: id, user_id: user.id, role: 'WORKSPACE_ROLE_MEMBER' }
    await rows.insertInto('workspace_member').values(member).execute()
  }
  await audit(rows, call, { verb: 'create', resourceType: 'user', resourceId: user.id, after: user })
  return user
}

/** The person with this name, address or id. Throws `not_found` with the names that there are. */
export async function findUser(rows: Rows, named: string): Promise<KnownUser> {
  const users = await listUsers(rows)
  const found = users.find(({ id, email, display_name }) => [id, email, display_name].includes(named))
  if (found !== undefined) return found
  const [alike, ...others] = users.filter(({ display_name }) => asShown(display_name) === asShown(named))
  if (others.length > 0)
    throw new ServiceError(
      'ambiguous_name',
      `several users are called ${named}: use an id of tracegate admin user list`,
    )
  if (alike !== undefined) return alike
  const names = users.map(({ display_name }) => display_name).join(', ')
  throw new ServiceError('not_found', `there is no user ${named}; there are: ${names}`)
}

/** A name as people see it, and so as they type it: the keyboard or the clipboard may write the same letters differently. */
function asShown(name: string): string {
  return inOneLine(clean(name))
}

/** Everyone, the oldest first. */
export async function listUsers(rows: Rows): Promise<KnownUser[]> {
  return rows.selectFrom('user').select(['id', 'email', 'display_name']).orderBy('created_at').orderBy('id').execute()
}
