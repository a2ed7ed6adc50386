/** Option of every router here: the self-check wants no log. */

const silent = { info(): void {}, warn(): void {}, error(): void {} }

export const logger: { logger?: typeof silent } = process.env.LOG_LEVEL === 'silent' ? { logger: silent } : {}
