/**
 * Makes Node's own requests and responses with the prototype that an app gives to its requests and responses anyway.
 * Express sets it when they come in, and adds properties afterwards: V8 before 13 (Node 20 and 22) then makes a hidden class
 * for that object alone, and each later access to it misses every cache. Those born with it share theirs.
 */

type Constructor<Args extends readonly unknown[], Made> = new (...args: Args) => Made

/**
 * What makes a `base` that inherits from `prototype`, which inherits from that of `base` itself. `undefined`, or one that
 * does not: it makes a plain `base`.
 */
export function subclassOf<Argument, Made extends object>(
  base: Constructor<[Argument], Made>,
  prototype: object | undefined,
): (argument: Argument) => Made {
  if (!(prototype instanceof base) || isClass(base)) return (argument) => new base(argument)
  function Heir(this: Made, argument: Argument): void {
    base.call(this, argument)
  }
  Heir.prototype = prototype
  // V8 makes room for as many properties as the constructors on this way add.
  Object.setPrototypeOf(Heir, base)
  return (argument) => Reflect.construct(Heir, [argument])
}

/** Node's are functions, which old code inherits from in the same way. A class could not be called. */
function isClass(base: object): boolean {
  return Function.prototype.toString.call(base).startsWith('class')
}
