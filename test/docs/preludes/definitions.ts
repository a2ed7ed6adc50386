/** What docs/definitions.md takes for granted. */

export const notes: { text: string; tags: string[] }[] = [{ text: 'Water the plants', tags: ['home'] }]
