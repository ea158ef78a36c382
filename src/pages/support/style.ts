import { boardStyle } from './board-style.ts'

const base = `
:root {
  color-scheme: light dark;
  --text: light-dark(#1b1f24, #e6e9ee);
  --quiet: light-dark(#57606a, #a3adb8);
  --ground: light-dark(#ffffff, #14171b);
  --panel: light-dark(#f4f6f8, #1e2329);
  --line: light-dark(#c9d0d8, #3b434d);
  --accent: light-dark(#0b57c2, #7db3ff);
  --on-accent: light-dark(#ffffff, #0b1526);
  --good: light-dark(#11632f, #6fd694);
  --bad: light-dark(#a3161a, #ff9a94);
  --warn: light-dark(#7a4a00, #f0c06a);
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem 3rem }
main.wide { max-width: 80rem }
h1, h2, h3, p, li, label, button { overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
p { margin: 0 0 1rem }
a { color: var(--accent) }
dl { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel) }
dl > div { display: grid; grid-template-columns: 12rem 1fr; gap: .25rem 1rem; padding: .5rem 1rem }
dl > div + div { border-top: 1px solid var(--line) }
dt { color: var(--quiet) }
dd { margin: 0 }
dd, .team, .outside { overflow-wrap: anywhere; white-space: pre-wrap; unicode-bidi: isolate }
.outside { border-left: .25rem solid var(--quiet); padding-left: .75rem; font-family: ui-monospace, monospace }
.note { border: 1px solid var(--line); border-left: .3rem solid var(--quiet); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem }
.note > :last-child { margin-bottom: 0 }
.note.good { border-left-color: var(--good) }
.note.bad { border-left-color: var(--bad) }
.note.good > :first-child { color: var(--good); font-weight: 600 }
.note.bad > :first-child { color: var(--bad); font-weight: 600 }
.quiet { color: var(--quiet) }
form { margin: 0 0 1rem }
label { display: block; font-weight: 600; margin: 0 0 .25rem }
.help { color: var(--quiet); font-size: .9rem; margin: 0 0 .5rem }
input, select { font: inherit; color: inherit; width: 100%; padding: .5rem .75rem; margin: 0 0 1rem; background: var(--ground); border: 1px solid var(--quiet); border-radius: .4rem }
button { font: inherit; font-weight: 600; padding: .55rem 1.25rem; border: 0; border-radius: .4rem; background: var(--accent); color: var(--on-accent); cursor: pointer }
:focus-visible { outline: .2rem solid var(--accent); outline-offset: .15rem }
code { font-family: ui-monospace, monospace; background: var(--panel); padding: 0 .25rem; border-radius: .25rem }
table { border-collapse: collapse; width: 100%; margin: 0 0 1rem }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
th { color: var(--quiet); font-weight: 600 }
.good { --tone: var(--good) }
.warn { --tone: var(--warn) }
.bad { --tone: var(--bad) }
.open, .new { --tone: var(--quiet) }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.verdict { border: 2px solid var(--tone); border-left-width: .75rem; border-radius: .5rem; background: var(--panel); padding: 1rem 1.25rem; margin: 0 0 1rem }
.verdict > p { margin: 0 0 .4rem }
.verdict-word { color: var(--tone); font-size: 2.4rem; line-height: 1.1; font-weight: 800 }
.verdict-says { font-size: 1.25rem; font-weight: 600 }
.badge { display: inline-block; color: var(--tone); border: 1px solid var(--tone); border-radius: .3rem; padding: 0 .4rem; font-size: .8rem; font-weight: 700; white-space: nowrap }
.blocker { border: 1px solid var(--line); border-left: .3rem solid var(--bad); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem }
.blocker.advisory { border-left-color: var(--warn) }
.blocker h3 { margin: 0 0 .25rem; font-size: 1rem }
.blocker .outside { padding-left: .5rem; display: inline-block; white-space: normal }
.scroll { overflow-x: auto }
.scroll table { min-width: 40rem }
.scroll .team { white-space: normal }
.scroll th, .scroll td { overflow-wrap: break-word }
.scroll thead th, .key { white-space: nowrap }
.history { padding: 0; list-style: none }
.choice { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0 0 1rem; padding: 0; border: 0 }
.choice a, .choice button { padding: .3rem .8rem; border: 1px solid var(--quiet); border-radius: .4rem; background: var(--ground); color: var(--text); font-weight: 400; text-decoration: none }
.choice [aria-current], .choice [aria-pressed=true] { border-color: var(--accent); background: var(--accent); color: var(--on-accent); font-weight: 600 }
`

const smallAndPaper = `
@media (max-width: 34rem) { dl > div { grid-template-columns: 1fr } }
@media print {
  :root { color-scheme: light }
  main { max-width: none; padding: 0 }
  form, nav, .choice, .top, .issue-action, summary { display: none }
  .scroll { overflow: visible }
  .scroll table { min-width: 0; font-size: .85rem }
  h2, h3 { break-after: avoid }
  dl, .note, tr { break-inside: avoid }
}
`

/** The part of it that pictures of the gate need. */
export const gateStyle: string = /* @__PURE__ */ [base, smallAndPaper].join('')

/**
 * The style of all pages: light and dark as the reader's system says, readable on a phone and on paper. Marked as pure, so
 * that a view, which has it as a style sheet, does not have it once more in its script.
 */
export const style: string = /* @__PURE__ */ [base, boardStyle, smallAndPaper].join('')
