/** The limits for each part of a fix context; numbers of entries, or bytes of JSON where the name says so. */
export interface Limits {
  frames: number
  /** Lines before and after the frame's own. */
  contextLines: number
  /** The same for frames that are not in-app. */
  libraryContextLines: number
  /** Of each text of a frame. */
  frameTextBytes: number
  /** Further exceptions keep only their position. */
  exceptions: number
  threads: number
  breadcrumbs: number
  tags: number
  fingerprint: number
  /** Of symbolication. */
  problems: number
  modulesBytes: number
  debugImages: number
  extraBytes: number
  contextsBytes: number
  headersBytes: number
  geoBytes: number
  /** Of each breadcrumb. */
  breadcrumbDataBytes: number
  messageParamsBytes: number
  /** The event's own signals, which are also in those of the context. */
  eventSignals: number
  /** Of each text of the event. */
  eventTextBytes: number
  files: number
  /** Ranges of lines, indexes of frames and requirements of each file. */
  fileLines: number
  environments: number
  environmentReleases: number
  requirements: number
  /** Paths and tests of each requirement. */
  requirementParts: number
  /** Sentences of the grouping. */
  explanation: number
  /** Globs, excluded globs, owners and tags of the component, each. */
  componentEntries: number
  /** Of each text outside event and frames. */
  textBytes: number
}

/** The whole response (contract §10.4: 60 KB). */
export const MOST_BYTES = 60_000

/** The limits that always apply, however small the context is. */
export const usualLimits: Limits = {
  frames: Infinity,
  contextLines: Infinity,
  libraryContextLines: Infinity,
  frameTextBytes: Infinity,
  exceptions: Infinity,
  threads: Infinity,
  breadcrumbs: 20,
  tags: Infinity,
  fingerprint: Infinity,
  problems: 30,
  modulesBytes: Infinity,
  debugImages: Infinity,
  extraBytes: Infinity,
  contextsBytes: Infinity,
  headersBytes: Infinity,
  geoBytes: Infinity,
  breadcrumbDataBytes: Infinity,
  messageParamsBytes: Infinity,
  eventSignals: Infinity,
  eventTextBytes: Infinity,
  files: Infinity,
  fileLines: Infinity,
  environments: Infinity,
  environmentReleases: Infinity,
  requirements: Infinity,
  requirementParts: Infinity,
  explanation: Infinity,
  componentEntries: Infinity,
  textBytes: Infinity,
}

/**
 * How a response that is too large is cut, step by step until it fits: each step adds to the previous ones. Least
 * valuable content first: data that rarely helps to fix a bug, then the event's long texts, then the code around
 * library frames, then the code around in-app frames; texts by members and the list of files come last. After the last
 * step any event fits. No text is cut below 80 bytes, so that ids, times and states stay complete.
 */
export const steps: readonly Partial<Limits>[] = [
  { modulesBytes: 0, debugImages: 0 },
  { extraBytes: 4_000, contextsBytes: 4_000, headersBytes: 2_000, geoBytes: 300 },
  { threads: 5, tags: 30, problems: 10, fingerprint: 5, messageParamsBytes: 1_000 },
  { breadcrumbDataBytes: 300, eventTextBytes: 1_000 },
  { libraryContextLines: 0 },
  { extraBytes: 0, contextsBytes: 1_000, headersBytes: 500, exceptions: 10, breadcrumbs: 10, eventTextBytes: 300 },
  { contextLines: 3, frameTextBytes: 300 },
  { frames: 60, contextLines: 2 },
  { frames: 40, contextLines: 1 },
  { frames: 20 },
  { componentEntries: 20, explanation: 10, environments: 10, environmentReleases: 3, textBytes: 500 },
  {
    contextsBytes: 0,
    headersBytes: 0,
    geoBytes: 0,
    threads: 0,
    problems: 0,
    tags: 10,
    breadcrumbs: 5,
    breadcrumbDataBytes: 0,
    frames: 10,
    contextLines: 1,
    frameTextBytes: 150,
    files: 15,
    fileLines: 10,
    requirements: 10,
    requirementParts: 5,
    textBytes: 200,
  },
  {
    eventSignals: 0,
    eventTextBytes: 80,
    exceptions: 5,
    breadcrumbs: 3,
    tags: 5,
    fingerprint: 0,
    messageParamsBytes: 0,
    frames: 5,
    contextLines: 0,
    frameTextBytes: 80,
    files: 5,
    fileLines: 5,
    environments: 5,
    requirements: 5,
    requirementParts: 2,
    explanation: 5,
    componentEntries: 5,
    textBytes: 80,
  },
]
