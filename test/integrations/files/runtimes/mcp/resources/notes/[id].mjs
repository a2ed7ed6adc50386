import { resource } from 'mcp-router'

export default resource({ description: 'One note.', handler: ({ id }) => `note ${id}` })
