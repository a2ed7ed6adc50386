/** The error for a server that violates the protocol or doesn't respond. The message says how. */

export class ServerFailure extends Error {
  override readonly name: string = 'ServerFailure'
}
