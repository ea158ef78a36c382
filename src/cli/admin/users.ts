import { addUser, listUsers, type KnownUser } from '../../service/workspace/users.ts'
import { plain } from '../support/finding.ts'
import { checkedName, type Subcommand } from './open.ts'

/** `admin user add NAME [--email E]`: a person, who needs a token to do anything. */
export const addOneUser: Subcommand = {
  takes: 'NAME [--email E]',
  operands: [1, 1],
  async run({ db, operands: [given = ''], config, call, io }) {
    const name = checkedName(given, 'admin user add')
    const user = await db.write((rows) => addUser(rows, call, { name, email: config.email }))
    io.stdout.write(`${line(user)}\n`)
    io.stderr.write(
      `tracegate: to make a token for this person: tracegate admin token add --user ${JSON.stringify(name)}\n`,
    )
  },
}

/** `admin user list`. */
export const listAllUsers: Subcommand = {
  takes: '',
  operands: [0, 0],
  async run({ db, io }) {
    for (const user of await listUsers(db.read)) io.stdout.write(`${line(user)}\n`)
  },
}

function line({ id, email, display_name }: KnownUser): string {
  return `${plain(display_name)} | ${plain(email)} | ${id}`
}
