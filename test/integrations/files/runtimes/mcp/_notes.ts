export const notes: readonly string[] = ['Buy milk', 'Call Eva']
