/** The four lists: the method of each, the member of its result, and the key that identifies an item. */

export const lists = [
  { kind: 'tool', method: 'tools/list', member: 'tools', key: 'name' },
  { kind: 'resource', method: 'resources/list', member: 'resources', key: 'uri' },
  { kind: 'template', method: 'resources/templates/list', member: 'resourceTemplates', key: 'uriTemplate' },
  { kind: 'prompt', method: 'prompts/list', member: 'prompts', key: 'name' },
] as const

export type ListKind = (typeof lists)[number]['kind']

/** Returns the member of the result that holds the items. */
export function memberOf(kind: ListKind): string {
  return (lists.find((list) => list.kind === kind) as (typeof lists)[number]).member
}
