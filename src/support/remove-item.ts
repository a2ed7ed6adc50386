/** Takes one thing out of a list of few. (A set shrinks and grows again with each, which costs more than the search.) */
export function removeItem<T>(list: T[], item: T): void {
  const at = list.indexOf(item)
  if (at >= 0) list.splice(at, 1)
}
