/** A silent logger for all routers here, so that the checks print no log. */

const silent = { info(): void {}, warn(): void {}, error(): void {} }

export const logger: { logger?: typeof silent } = process.env.LOG_LEVEL === 'silent' ? { logger: silent } : {}
