/** Filters the notifications of an open stream: calls `visible` for every notification. */

import type { Entry } from '../definitions/entries.js'
import type { CatalogSection } from '../definitions/registry.js'
import { isVisibleTo, type Viewer } from '../request/authorize.js'
import type { RequestServices } from '../request/services.js'
import type { Task } from '../tasks/task.js'
import { reportFault } from '../tracing/error-report.js'
import { type Notification, taskNotification } from './notification.js'

export class VisibilityFilter {
  readonly #services: RequestServices
  readonly #viewer: Viewer

  constructor(services: RequestServices, { identity, request }: Viewer) {
    this.#services = services
    // A request takes as much memory as a stream, so it's kept only if some `visible` may read it.
    const sections: CatalogSection[] = Object.values(services.registry.catalog())
    const usesRequest = sections.some(({ perCaller }) => perCaller)
    this.#viewer = { identity, request: usesRequest ? request : undefined }
  }

  /** Whether the client may get a notification: false if its subject is hidden from the client now. */
  allows({ method, uri, definitions }: Notification): boolean {
    const isVisible = (entry: Entry): boolean => this.#isVisible(entry, method)
    if (uri !== undefined) return this.#isResourceVisible(uri, isVisible)
    return definitions === undefined || definitions.some(isVisible)
  }

  /** Whether the client may get a task's notifications: false if the task's tool is hidden from the client now. */
  allowsTask({ tool }: Task): boolean {
    const served = this.#services.registry.catalog().tool.byKey.get(tool)
    return served === undefined || this.#isVisible(served.entry, taskNotification)
  }

  /** Whether a resource is visible. A resource without a definition is visible to everybody. */
  #isResourceVisible(uri: string, isVisible: (entry: Entry) => boolean): boolean {
    const { resource, template } = this.#services.registry.catalog()
    if (!resource.perCaller && !template.perCaller) return true
    const fixed = resource.byKey.get(uri)
    if (fixed !== undefined && isVisible(fixed.entry)) return true
    const matching = template.items.filter(({ entry }) => entry.template.match(uri) !== undefined)
    if (matching.length === 0) return fixed === undefined
    return matching.some(({ entry }) => isVisible(entry))
  }

  #isVisible(entry: Entry, method: string): boolean {
    return isVisibleTo(entry, this.#viewer, (error, owner) =>
      reportFault(this.#services, error, { what: `${owner} failed`, method }),
    )
  }
}
