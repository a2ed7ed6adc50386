// Asks a listener of `bare-http1` for the explorer's page, without a socket. Throws where there is none.
exports.checkExplorer = async (listener) => {
  const request = {
    method: 'GET',
    url: '/mcp/explorer/app.js',
    headers: { host: 'localhost' },
    async *[Symbol.asyncIterator]() {},
  }
  const { status, length } = await new Promise((resolve) => {
    let length = 0
    const response = {
      statusCode: 0,
      destroyed: false,
      socket: { remoteAddress: '127.0.0.1' },
      setHeader() {},
      on() {},
      write: (text) => {
        length += text.length
        return true
      },
      end: (text = '') => resolve({ status: response.statusCode, length: length + text.length }),
    }
    listener(request, response)
  })
  if (status !== 200 || length < 100_000) throw new Error(`the explorer: ${status}, ${length} characters`)
}
