/** Detects changes of an app's routes. Comparing counts isn't enough, because one route may replace another. */

/** Numbers the states of a collection. Compares members by identity, and allocates nothing while they are unchanged. */
export class Snapshot {
  readonly #members: unknown[] = []
  #version = 0

  /** Returns the number of the current state. `walk` reports each member in a stable order. */
  version(walk: (report: (member: unknown) => void) => void): number {
    const members = this.#members
    let at = 0
    let changed = false
    walk((member) => {
      if (at >= members.length || members[at] !== member) {
        members[at] = member
        changed = true
      }
      at += 1
    })
    if (at < members.length) {
      members.length = at
      changed = true
    }
    if (changed) this.#version += 1
    return this.#version
  }
}
