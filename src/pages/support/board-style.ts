/** The part of the style that navigation, boards and lists of what to do have. */
export const boardStyle = `
.top { border-bottom: 1px solid var(--line); background: var(--panel) }
.top-row { max-width: 80rem; margin: 0 auto; padding: .5rem 1rem; display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.5rem }
.top-row > * { margin: 0 }
.brand { color: var(--text); font-weight: 700; text-decoration: none }
.areas { display: flex; gap: .25rem }
.areas a { padding: .35rem .75rem; border-radius: .4rem; color: var(--text); text-decoration: none }
.areas a:hover { background: var(--ground) }
.areas [aria-current] { background: var(--ground); box-shadow: inset 0 0 0 1px var(--line); font-weight: 600 }
.top-product { margin-left: auto; color: var(--quiet); font-size: .9rem }
.top + main { padding-top: 1.5rem }
button.plain { background: var(--ground); color: var(--text); box-shadow: inset 0 0 0 1px var(--quiet); font-weight: 400; font-size: .9rem; padding: .35rem .75rem; white-space: nowrap }
button.plain:hover { box-shadow: inset 0 0 0 1px var(--accent); color: var(--accent) }
[hidden] { display: none }
.products { padding: 0; list-style: none }
.products a { display: block; padding: .6rem 1rem; margin: 0 0 .5rem; border: 1px solid var(--line); border-radius: .5rem }
.filters { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.25rem, 1fr)); gap: .5rem .75rem; align-items: end; margin: 0 0 1rem }
.filters label { font-size: .8rem; font-weight: 400; color: var(--quiet); margin: 0 0 .15rem }
.filters input, .filters select { margin: 0; padding: .35rem .6rem; font-size: .9rem; height: 2.2rem; text-overflow: ellipsis }
.filters button { padding: 0 .9rem; height: 2.2rem; font-size: .9rem }
.filter-text { grid-column: span 2 }
.filter-go { display: flex; align-items: center; gap: .6rem; font-size: .9rem }
.summary { color: var(--quiet); font-size: .9rem; margin: 0 0 .75rem }
.summary strong { color: var(--text) }
.issues > ol, .gaps { list-style: none; margin: 0 0 1rem; padding: 0; border: 1px solid var(--line); border-radius: .5rem }
.issue + .issue, .gap + .gap { border-top: 1px solid var(--line) }
.issue, .gap { padding: .65rem 1rem .4rem }
.issue-head, .issue-row { display: grid; grid-template-columns: minmax(0, 1fr) 7rem 3.5rem 3.5rem 7.5rem 7.5rem 5.25rem 7.25rem; column-gap: 1rem; align-items: start }
.few .issue-head, .few .issue-row { grid-template-columns: minmax(0, 1fr) 3.5rem 3.5rem 7.5rem 5.25rem 7.25rem }
.issue-head { padding: 0 1rem .35rem; color: var(--quiet); font-size: .8rem }
.issue-row p, .gap-row p { margin: 0 }
.issue-marks { display: flex; flex-wrap: wrap; align-items: center; gap: .15rem .5rem; font-size: .85rem }
.mark { color: var(--tone); border: 1px solid currentcolor; border-radius: 1rem; padding: 0 .5rem; font-size: .75rem; line-height: 1.4; font-weight: 600 }
.issue-title, .gap-title { font-size: .95rem; line-height: 1.4; margin: .2rem 0 .15rem; font-weight: 600; overflow-wrap: anywhere }
.issue-title, .issue-culprit { font-family: ui-monospace, monospace }
.issue-title { font-size: .875rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
.issue-culprit { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.issue-places { color: var(--quiet); font-size: .8rem }
.issue-cell { font-size: .875rem; min-width: 0 }
.issue-cell .label, .gap-score .label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.issue-release { display: block; color: var(--quiet); font-size: .8rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.number { text-align: right; font-variant-numeric: tabular-nums }
.issue-action { text-align: right }
.trend { display: block; width: 100%; height: 2rem }
.trend-ground { stroke: var(--line); fill: none; vector-effect: non-scaling-stroke }
.trend-bars { fill: var(--accent) }
.evidence { color: var(--tone) }
details { font-size: .9rem; margin: 0 }
summary { display: inline-block; padding: .15rem 0; color: var(--quiet); font-size: .8rem; cursor: pointer }
summary::before { content: '▸ '; content: '▸ ' / '' }
[open] > summary::before { content: '▾ '; content: '▾ ' / '' }
summary:hover { color: var(--accent) }
details dl { margin: .35rem 0 .75rem }
details dl > div { padding: .35rem .75rem }
.copy-text { margin: 0 0 .5rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--panel); font: .8rem/1.5 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 18rem; overflow: auto }
.paging { display: flex; gap: 1.5rem; margin: 0 0 1rem }
.totals { margin: 0 0 2rem }
.totals-says { font-size: 1.25rem; font-weight: 600; margin: 0 0 .5rem }
.stack { display: block; width: 100%; height: .75rem; border-radius: .375rem; margin: 0 0 .75rem }
.stack rect, .share rect { fill: var(--tone) }
.share .share-ground { fill: var(--line) }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .5rem; border: 0; background: none; margin: 0 }
.tiles > div, .tiles > div + div { display: flex; flex-direction: column-reverse; justify-content: flex-end; gap: 0; padding: .5rem .75rem; border: 1px solid var(--line); border-left: .25rem solid var(--tone); border-radius: .4rem; background: var(--ground) }
.tiles dt { font-size: .8rem }
.tiles dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums }
.gap-row { display: grid; grid-template-columns: 3rem minmax(0, 1fr) 7.5rem; column-gap: 1rem; align-items: start }
.gap-score { font-weight: 600; font-variant-numeric: tabular-nums; text-align: right }
.gap details { margin-left: 4rem }
.gap-reasons { color: var(--quiet); font-size: .85rem }
.gap .gap-action { font-size: .9rem; margin-top: .25rem }
.components th a { font-weight: 400 }
.share { display: grid; grid-template-columns: minmax(4rem, 10rem) 3rem; align-items: center; gap: .75rem }
.share svg { width: 100%; height: .5rem; border-radius: .25rem }
td.number, th.number { text-align: right }
@media (max-width: 60rem) {
  .issue-head { display: none }
  .issue-row, .few .issue-row { grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .5rem 1rem }
  .issue-subject { grid-column: 1 / -1 }
  .issue-trend { grid-column: span 2; align-self: end }
  .issue-row .number { text-align: left }
  .issue-cell .label { position: static; display: block; width: auto; height: auto; clip-path: none; color: var(--quiet); font-size: .75rem }
  .issue-action { text-align: left; align-self: end }
}
@media (max-width: 40rem) {
  .top-product { margin: 0 }
  .sign-out { margin-left: auto }
  .filters { grid-template-columns: 1fr 1fr }
  .gap-row { grid-template-columns: 2.5rem minmax(0, 1fr) }
  .gap .issue-action { grid-column: 2; margin-top: .35rem }
  .gap details { margin-left: 3.5rem }
}
`
