import type { Metafile } from 'esbuild'

export declare function buildExplorer(): Promise<{ readonly metafile: Metafile }>
