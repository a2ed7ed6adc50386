/** Notices that an app's routes have changed: one may come in the place of another, so their number doesn't tell. */

/** Numbers the states of a walk over objects. Compares members by identity and allocates nothing while they stay. */
export class Snapshot {
  readonly #members: unknown[] = []
  #version = 0

  /** The number of the present state. `walk` reports each member, in a stable order. */
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
