/** A server that does not do what a server of the protocol does; the message says which and what. */

export class ServerFailure extends Error {
  override readonly name: string = 'ServerFailure'
}
