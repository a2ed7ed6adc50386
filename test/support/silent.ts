/** A logger that says nothing. */
const nothing = (): void => {}
export const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing }
