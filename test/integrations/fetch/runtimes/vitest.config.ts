/** For the tests that run inside of Bun and Deno. */

import { mergeConfig } from 'vitest/config'
import shared from '../../../../vitest.config.js'
import { OutcomesReporter } from './outcomes.js'

export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  {
    test: {
      include: ['test/integrations/fetch/runtimes/*.contract.ts'],
      reporters: [new OutcomesReporter()],
      // Bun imports it without its named exports otherwise.
      server: { deps: { inline: ['zod'] } },
    },
  },
)
