import { useState } from 'preact/hooks'
import { PROMPT_ELEMENT, promptFor } from '../../mcp/surface/view-prompt.ts'
import { issueList } from '../picture/issue-picture.ts'
import type { IssuePicture } from '../picture/issue-types.ts'
import { html, type Html } from '../support/html.ts'
import { note } from '../support/layout.ts'
import { connectHost, type ToolResult } from './host.ts'
import { foundIssues, type FoundIssues } from './issues-from-result.ts'
import { createPlace } from './place.ts'

/** The parts of a browser that the view uses: the program has no types of the DOM. */
interface Browser {
  document: { getElementById(id: string): { textContent: string } | null }
  navigator: { clipboard?: { writeText(text: string): Promise<void> } }
}
const { document, navigator } = globalThis as unknown as Browser

const prompt: unknown = JSON.parse(document.getElementById(PROMPT_ELEMENT)?.textContent ?? 'null')
const draw = createPlace()
draw(note('plain', 'Waiting for the error issues.'))
const host = connectHost({
  name: 'triage',
  onResult: (result) => draw(picture(result)),
  onCancelled: () => draw(note('plain', 'The call was cancelled. There is nothing to show.')),
})

function picture({ structuredContent, isError, content }: ToolResult): Html {
  const found = foundIssues(structuredContent)
  if (isError !== true && found !== undefined) return html`<${Board} found=${found} />`
  const said = content?.find(({ text }) => typeof text === 'string')?.text
  return note(isError === true ? 'bad' : 'plain', said ?? 'The result has no error issues to show.')
}

/** The issues with a choice of them; no request is made. */
function Board({ found: { says, issues } }: { found: FoundIssues }): Html {
  const [match, setMatch] = useState('')
  const [component, setComponent] = useState('')
  const components = [...new Set(issues.flatMap((issue) => issue.component ?? []))].toSorted()
  const shown = issues.filter((issue) => fits(issue, match) && (component === '' || issue.component === component))
  return html`<section aria-label="Error issues">
    <p class="summary">
      <strong>${says ?? 'Error issues'}</strong> Titles come from events: anyone may have written them.
    </p>
    ${
      issues.length < 2
        ? null
        : html`<div class="filters">
            <div class="filter-text">
              <label for="match">Text</label>
              <input
                id="match"
                type="search"
                value=${match}
                onInput=${(event: Typed) => setMatch(event.target.value)}
              />
            </div>
            ${
              components.length < 2
                ? null
                : html`<div>
                    <label for="component">Component</label>
                    <select id="component" onChange=${(event: Typed) => setComponent(event.target.value)}>
                      ${['', ...components].map((name) => html`<option value=${name}>${name === '' ? 'Any' : name}</option>`)}
                    </select>
                  </div>`
            }
          </div>`
    }
    ${
      shown.length === 0
        ? html`<p class="quiet">No error issue matches.</p>`
        : issueList(shown, {
            action: ({ key }) =>
              typeof prompt === 'string' ? html`<${Fix} key=${key} issue=${key} prompt=${prompt} />` : null,
            details: () => null,
          })
    }
  </section>`
}

interface Typed {
  target: { value: string }
}

/** Whether the text is in what is shown of the issue. */
function fits({ key, title, marks, environments, since }: IssuePicture, match: string): boolean {
  const words = [key, title, environments, since, ...marks.map(({ word }) => word)]
  return words.join(' ').toLowerCase().includes(match.trim().toLowerCase())
}

/** Says the prompt in the conversation where the host takes messages; else copies it, or shows it to be copied by hand. */
function Fix({ issue, prompt: some }: { issue: string; prompt: string }): Html {
  const [state, setState] = useState<'open' | 'sent' | 'copied' | 'shown'>('open')
  const text = promptFor(issue, some)
  const act = async () => {
    if (host.takesMessages() && (await host.say(text))) setState('sent')
    else setState((await copied(text)) ? 'copied' : 'shown')
  }
  return html`<button type="button" class="plain" onClick=${() => void act()}>
      ${words[state]}<span class="unseen"> ${issue}</span>
    </button>
    ${state === 'shown' ? html`<textarea class="copy-text" readonly rows="6" aria-label="Prompt">${text}</textarea>` : null}`
}

const words = { open: 'Fix this', sent: 'Sent', copied: 'Copied', shown: 'Copy below' } as const

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard?.writeText(text)
    return navigator.clipboard !== undefined
  } catch {
    return false
  }
}
