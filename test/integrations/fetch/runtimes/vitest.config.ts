/** Configuration for the tests that run inside Bun and Deno. */

import { mergeConfig } from 'vitest/config'
import shared from '../../../../vitest.config.js'
import { OutcomesReporter } from './outcomes.js'

export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  {
    test: {
      include: ['test/integrations/fetch/runtimes/*.contract.ts'],
      reporters: [new OutcomesReporter()],
      // Otherwise Bun imports the module without its named exports.
      server: { deps: { inline: ['zod'] } },
    },
  },
)
