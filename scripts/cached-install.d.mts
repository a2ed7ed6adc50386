export declare function installOnce(folder: string, files: Readonly<Record<string, string>>): Promise<void>
export declare function npmInstall(folder: string, packages?: readonly string[]): Promise<void>
