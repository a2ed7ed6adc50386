/** What docs/conversation.md takes for granted: a stock. */

export const reserved: string[] = []

export const stock = {
  reserve(sku: string): { id: string } {
    reserved.push(sku)
    return { id: `R${reserved.length}` }
  },
  count: async ({ signal }: { signal: AbortSignal }): Promise<number> => (signal.aborted ? 0 : 42),
  list: () => ({ articles: [{ sku: 'A1', count: 42 }] }),
}

export const chartHtml = '<!doctype html><title>Stock</title>'
