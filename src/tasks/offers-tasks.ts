/** Whether a server has tasks at all: some tool of it can be one. */

import type { Catalog } from '../definitions/registry.js'

export function offersTasks({ tool }: Catalog): boolean {
  return tool.items.some(({ entry }) => entry.task !== undefined)
}
