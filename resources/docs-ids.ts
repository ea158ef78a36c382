import { defineResource } from '../src/mcp/define/define.ts'

export const docsIds = defineResource({
  name: 'docs-ids',
  uri: 'tracegate://docs/ids',
  title: 'Ids, keys and names',
  description: 'Which ids there are, which names every parameter accepts, and how a name is resolved.',
  mimeType: 'text/markdown',
  text: `# Ids, keys and names

| thing | id | also accepted |
|---|---|---|
| product | decimal number, such as 1 | exact name, slug, key prefix (SHOP) |
| environment | UUID | name |
| release | UUID | version; with environment when the version is in several |
| component | UUID | name, slug |
| error issue | UUID | key, such as SHOP-31: the prefix names its product |
| requirement | UUID | key, such as REQ-12, of the product given, pinned or only |
| test | UUID | key, such as TC-7, in the same way |
| quality branch | UUID | exact name of an open one; a git branch is something else |
| agent config | UUID | exact name, or its agent type where one config has it |
| agent run | UUID | – |
| occurrence of an error | UUID, service-assigned | the SDK's event_id (32 hex characters) is looked up once, and the answer says so |

A name is looked for in this order: exact id, exact name, the same letters in another case, and for reads a unique
prefix. Several matches or none: an error lists the candidates. Writes do not accept prefix matches.

Without product, the pinned one is used, or the only one the token sees.

In place of a name, "(named only by events or tests)" is no error: the name is text from outside, so it appears in the
untrusted block, and works as a parameter like the id. It is shown as a fact once a member of the team gives the name or
an event with a server key (\`tracegate admin key add --server\`) has it. A member gives a release its name by an upload of
source maps. Your tools for that: record_release and create_environment. "(not vouched for here)" stands where this
deployment does not say who gave a name. The names of a test appear in the block unless the deployment says that a member
gave them: call it by its key, such as TC-7.

The addresses tracegate://error-issue/{id} and tracegate://error-issue/{id}/fix-context take the key or the id of an issue,
tracegate://product/{product}/coverage-gaps the id or name of a product, tracegate://requirement/{id} the key or the id,
tracegate://branch/{branch} the name or id of an open quality branch, tracegate://agent-run/{run} the id of a run.

Cursors are opaque and belong to the same tool with the same other arguments.
`,
})
