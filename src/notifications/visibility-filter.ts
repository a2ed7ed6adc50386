/** What the reader of an open stream may be told of: `visible` is asked anew for each notice. */

import type { Entry } from '../definitions/entries.js'
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
    // A request is as large as a stream, and there may be many of those: it is kept only where somebody may look at it.
    const isAsked = Object.values(services.registry.catalog()).some(({ shaped }) => shaped)
    this.#viewer = { identity, request: isAsked ? request : undefined }
  }

  /** False for a notice of what is hidden from the reader now. */
  allows({ method, uri, about }: Notification): boolean {
    const sees = (entry: Entry): boolean => this.#sees(entry, method)
    return uri === undefined ? about === undefined || about.some(sees) : this.#seesResource(uri, sees)
  }

  /** False for a task whose tool is hidden from the reader now. */
  allowsTask({ tool }: Task): boolean {
    const served = this.#services.registry.catalog().tool.byKey.get(tool)
    return served === undefined || this.#sees(served.entry, taskNotification)
  }

  /** What is defined no more is hidden from nobody. */
  #seesResource(uri: string, sees: (entry: Entry) => boolean): boolean {
    const { resource, template } = this.#services.registry.catalog()
    if (!resource.perCaller && !template.perCaller) return true
    const fixed = resource.byKey.get(uri)
    if (fixed !== undefined && sees(fixed.entry)) return true
    const matching = template.items.filter(({ entry }) => entry.template.match(uri) !== undefined)
    if (matching.length === 0) return fixed === undefined
    return matching.some(({ entry }) => sees(entry))
  }

  #sees(entry: Entry, method: string): boolean {
    return isVisibleTo(entry, this.#viewer, (error, owner) =>
      reportFault(this.#services, error, { what: `${owner} failed`, method }),
    )
  }
}
