/** What docs/router.md takes for granted. */

export interface User {
  id: string
  staff?: boolean
}

export const notes: string[] = ['Buy milk', 'Water the plants']
export const isStaff = (user: unknown): boolean => (user as User | undefined)?.staff === true

interface Seen {
  captured: { error: unknown; name?: string | undefined; reference?: string | undefined }[]
  observed: { name: string; ms: number; outcome: string }[]
}
export const seen: Seen = { captured: [], observed: [] }

export const tracker = {
  capture(error: unknown, tags: { name: string | undefined; reference: string | undefined }): void {
    seen.captured.push({ error, ...tags })
  },
}
export const metrics = {
  observe(name: string, ms: number, outcome: string): void {
    seen.observed.push({ name, ms, outcome })
  },
}
