import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import { html, renderDocument } from '../pages/support/html.ts'
import { style } from '../pages/support/style.ts'

const root = resolve(import.meta.dirname, '../..')

export const gateViewFile = resolve(root, 'resources/gate-view.html')

/** Nothing but what is in the file: no other origin, and no request at all. */
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

/** The MCP Apps view of the gate as one file; committed, because the package and a checkout read it without esbuild. */
export async function gateView(): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/pages/view/view-entry.ts'],
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
        <title>Quality gate – Tracegate</title>
        <style dangerouslySetInnerHTML=${{ __html: style }} />
      </head>
      <body>
        <main class="wide">
          <p class="quiet">Waiting for the verdict.</p>
        </main>
        <script dangerouslySetInnerHTML=${{ __html: script }} />
      </body>
    </html>`,
  )
}

if (import.meta.main) writeFileSync(gateViewFile, await gateView())
