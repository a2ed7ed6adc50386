/** The protocol revisions as data. Code asks a revision what it can carry, never which one it is. */

/** `legacy`: agreed by `initialize`. `modern`: said by every request. */
export type Era = 'legacy' | 'modern'

export interface Revision {
  readonly version: string
  readonly era: Era
  /** `title` on definitions and on `Implementation`. */
  readonly titles: boolean
  /** `icons`, `websiteUrl` and `Implementation.description`. */
  readonly icons: boolean
  readonly toolAnnotations: boolean
  /** What `outputSchema` and `structuredContent` may be. */
  readonly structured: 'none' | 'object' | 'any'
  /** Content blocks beyond text, image and resource. */
  readonly audio: boolean
  readonly resourceLinks: boolean
  /** `_meta` on definitions and blocks, and `annotations.lastModified`. */
  readonly meta: boolean
  readonly progressMessage: boolean
  /** The `completions` capability. */
  readonly completions: boolean
  readonly batches: boolean
  /** Streams of sessions begin with an event id, and a client may come back with it. */
  readonly resumes: boolean
  /** What `elicitation/create` can ask: nothing, or plain forms, or forms with titled choices and lists, and pages. */
  readonly elicitation: 'none' | 'form' | 'full'
  /** Not at all, as 2025-11-25 has them, or as the extension has them. */
  readonly tasks: 'none' | 'core' | 'extension'
  /** `tools` and `toolChoice` in sampling. */
  readonly samplingTools: boolean
  /** The code of "no such resource". */
  readonly resourceNotFound: -32002 | -32602
}

const first: Revision = {
  version: '2024-11-05',
  era: 'legacy',
  titles: false,
  icons: false,
  toolAnnotations: false,
  structured: 'none',
  audio: false,
  resourceLinks: false,
  meta: false,
  progressMessage: false,
  completions: false,
  batches: false,
  resumes: false,
  elicitation: 'none',
  tasks: 'none',
  samplingTools: false,
  resourceNotFound: -32002,
}

const march2025: Revision = {
  ...first,
  version: '2025-03-26',
  toolAnnotations: true,
  audio: true,
  progressMessage: true,
  completions: true,
  batches: true,
}

const june2025: Revision = {
  ...march2025,
  version: '2025-06-18',
  titles: true,
  structured: 'object',
  resourceLinks: true,
  meta: true,
  batches: false,
  elicitation: 'form',
}

const november2025: Revision = {
  ...june2025,
  version: '2025-11-25',
  icons: true,
  resumes: true,
  elicitation: 'full',
  tasks: 'core',
  samplingTools: true,
}

const july2026: Revision = {
  ...november2025,
  version: '2026-07-28',
  era: 'modern',
  resumes: false,
  structured: 'any',
  tasks: 'extension',
  resourceNotFound: -32602,
}

/** Oldest first. */
export const revisions: readonly Revision[] = [first, march2025, june2025, november2025, july2026]

/** Every protocol revision this package speaks, oldest first; the default of `protocolVersions`. */
export const PROTOCOL_VERSIONS: readonly string[] = revisions.map((revision) => revision.version)

/** What in-process calls see: the richest revision, unprojected. */
export const newestRevision: Revision = july2026

/** What a legacy request is that names no revision (specification 2025-11-25, transports). */
export const assumedVersion = '2025-03-26'

/** Revisions are dates, so text order is time order; everything from the first modern one on is modern. */
export function isModernVersion(version: string): boolean {
  return version >= july2026.version
}
