import { tool } from 'mcp-router'
import { notes } from '../../_notes.ts'

interface Query {
  readonly word: string
}

export default tool({
  description: 'Finds notes.',
  input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  handler: ({ word }: Query) => `1: ${notes.filter((note: string) => note.includes(word)).join()}`,
})
