import packageJson from '../../../package.json' with { type: 'json' }
import server from '../../../server.json' with { type: 'json' }
import { flagVariables } from '../../config-flags.ts'
import { createListing } from '../../mcp/surface/listing.ts'
import { surface } from '../../surface.ts'

/** What the dialog of a desktop application asks for: the setting, and how its field is called. Nothing is required. */
const fields: Readonly<Record<string, { title: string; type: 'string' | 'boolean' | 'directory'; default?: boolean }>> =
  {
    TRACEGATE_BASE_URL: { title: 'Address of your deployment', type: 'string' },
    TRACEGATE_API_TOKEN: { title: 'API token', type: 'string' },
    TRACEGATE_PRODUCT: { title: 'Product', type: 'string' },
    TRACEGATE_TOOLSETS: { title: 'Toolsets', type: 'string' },
    TRACEGATE_READ_ONLY: { title: 'Read only', type: 'boolean', default: false },
    TRACEGATE_DATA_DIR: { title: 'Data directory', type: 'directory' },
  }

const [npm] = server.packages

/**
 * The manifest of the bundle for desktop applications, in the version that all of them install (0.3). Each setting is passed
 * as a flag, because some applications do not pass variables; an empty field counts as unset.
 */
export function mcpbManifest(engines: string): object {
  const { tools } = createListing(surface, { toolsets: ['default'], readOnly: false, local: true })
  const settings = Object.keys(fields).map((variable) => ({ variable, flag: flagFor(variable) }))
  return {
    manifest_version: '0.3',
    name: packageJson.name,
    display_name: server.title,
    version: packageJson.version,
    description: packageJson.description,
    author: { name: server.title },
    license: packageJson.license,
    keywords: [...packageJson.keywords],
    server: {
      type: 'node',
      entry_point: 'server/tracegate.js',
      mcp_config: {
        command: 'node',
        args: [
          '${__dirname}/server/tracegate.js',
          ...settings.map(({ variable, flag }) => `--${flag}=\${user_config.${fieldName(variable)}}`),
        ],
        env: {},
      },
    },
    tools: tools.map(({ tool: { name, title } }) => ({ name, description: title })),
    // Other toolsets bring more, and a pinned product or read-only mode less.
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: engines } },
    user_config: Object.fromEntries(
      settings.map(({ variable }) => [
        fieldName(variable),
        { ...fields[variable], ...described(variable), required: false },
      ]),
    ),
  }
}

function fieldName(variable: string): string {
  return variable.replace('TRACEGATE_', '').toLowerCase()
}

function flagFor(variable: string): string {
  const found = Object.entries(flagVariables).find(([, name]) => name === variable)
  if (found === undefined) throw new Error(`${variable} has no flag`)
  return found[0]
}

/** What server.json says of the variable. */
function described(variable: string): { description: string; sensitive?: true } {
  const found = npm?.environmentVariables.find(({ name }) => name === variable)
  if (found === undefined) throw new Error(`server.json does not describe ${variable}`)
  return { description: found.description, ...('isSecret' in found && found.isSecret === true && { sensitive: true }) }
}
