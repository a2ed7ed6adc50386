/** True when the two types are the same, optional and readonly members included. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** `is<Expected>()(value)` compiles when the type of `value` is exactly `Expected`. */
export function is<Expected>() {
  return <Actual>(
    _: Actual,
    ..._same: Equal<Actual, Expected> extends true ? [] : [never, Actual, Expected]
  ): void => {}
}
