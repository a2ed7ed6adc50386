export declare function buildExplorer(): Promise<void>
