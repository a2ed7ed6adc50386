/**
 * Creates Node's requests and responses with the app's prototypes from the start. Express sets the prototype later,
 * when the request arrives, and then adds properties: V8 before 13 (Node 20 and 22) then creates a hidden class for
 * each object, and each later access misses the inline caches. Objects created with the prototype share a hidden
 * class.
 */

type Constructor<Args extends readonly unknown[], Made> = new (...args: Args) => Made

/**
 * Returns a factory for instances of `base` with the given `prototype`, which must inherit from `base.prototype`.
 * Without such a prototype, the factory creates a plain `base`.
 */
export function factoryOf<Argument, Made extends object>(
  base: Constructor<[Argument], Made>,
  prototype: object | undefined,
): (argument: Argument) => Made {
  if (!(prototype instanceof base) || isClass(base)) return (argument) => new base(argument)
  function Subclass(this: Made, argument: Argument): void {
    base.call(this, argument)
  }
  Subclass.prototype = prototype
  // V8 reserves space for the properties that the constructors in this chain add.
  Object.setPrototypeOf(Subclass, base)
  return (argument) => Reflect.construct(Subclass, [argument])
}

/** Whether `base` is a class, which can't be called without `new`. Node's own constructors here are functions. */
function isClass(base: object): boolean {
  return Function.prototype.toString.call(base).startsWith('class')
}
