import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { PROMPT_ELEMENT } from '../mcp/surface/view-prompt.ts'
import { renderDocument } from '../pages/support/document.ts'
import { html } from '../pages/support/html.ts'
import { gateStyle, style } from '../pages/support/style.ts'

const root = resolve(import.meta.dirname, '../..')

/** A view as its sources say it. */
export interface ViewSource {
  file: string
  entry: string
  title: string
  style: string
  waiting: string
  /** Whether a server puts a prompt for its buttons into the file. */
  hasPrompt: boolean
}

/** The MCP Apps views; their files are committed, because the package and a checkout read them without esbuild. */
export const viewSources = {
  gate: {
    file: resolve(root, 'resources/gate-view.html'),
    entry: 'src/pages/view/gate-entry.ts',
    title: 'Quality gate – Tracegate',
    style: gateStyle,
    waiting: 'Waiting for the verdict.',
    hasPrompt: false,
  },
  triage: {
    file: resolve(root, 'resources/triage-view.html'),
    entry: 'src/pages/view/triage-entry.ts',
    title: 'Triage – Tracegate',
    style,
    waiting: 'Waiting for the error issues.',
    hasPrompt: true,
  },
} as const satisfies Record<string, ViewSource>

/** Nothing but what is in the file: no other origin, and no request at all. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

/** A view as one file. */
export async function buildView({ entry, title, style: css, waiting, hasPrompt }: ViewSource): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
  })
  const script = (outputFiles[0]?.text ?? '').trim().replaceAll('</script', String.raw`<\/script`)
  return renderDocument(
    html`<html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content=${policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style dangerouslySetInnerHTML=${{ __html: css }} />
      </head>
      <body>
        <main class="wide">
          <p class="quiet">${waiting}</p>
        </main>
        ${hasPrompt ? html`<script type="application/json" id=${PROMPT_ELEMENT} dangerouslySetInnerHTML=${{ __html: 'null' }} />` : null}
        <script dangerouslySetInnerHTML=${{ __html: script }} />
      </body>
    </html>`,
  )
}

if (import.meta.main) for (const view of Object.values(viewSources)) writeFileSync(view.file, await buildView(view))
