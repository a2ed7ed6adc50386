/** The protocol revisions as data. Code reads a revision's features, never its name. */

/** `legacy`: the version is negotiated by `initialize`. `modern`: every request has its version. */
export type Era = 'legacy' | 'modern'

export interface Revision {
  readonly version: string
  readonly era: Era
  /** `title` on definitions and on `Implementation`. */
  readonly titles: boolean
  /** `icons`, `websiteUrl` and `Implementation.description`. */
  readonly icons: boolean
  readonly toolAnnotations: boolean
  /** The allowed types of `outputSchema` and `structuredContent`. */
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
  /** Streams of sessions have event ids, from which a client may resume. */
  readonly resumes: boolean
  /** Elicitation: none, plain forms, or forms with titled choices and lists, and URLs. */
  readonly elicitation: 'none' | 'form' | 'full'
  /** Tasks: none, those of 2025-11-25, or those of the extension. */
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

/** The revision of in-process calls: nothing has to be converted. */
export const newestRevision: Revision = july2026

/** The revision of legacy requests that name none (specification 2025-11-25, Transports). */
export const assumedVersion = '2025-03-26'

/** Whether a version is that of the first modern revision or later. Versions are dates, so they sort as text. */
export function isModernVersion(version: string): boolean {
  return version >= july2026.version
}
